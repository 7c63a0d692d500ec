// Calls every method of the UI's API client, in the order in which its pages do, and prints what
// each returned or threw. Argument: the RM's URL. SCHEDULER_UI: the UI's folder src/main/webapp.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const source = join(process.env.SCHEDULER_UI, 'src');

// "~/x" is src/x. Of "~/config" the client takes two names, which constants.ts has; the rest of
// that folder describes the forms and needs React's packages. "~/types" is types alone.
registerHooks({
  resolve(name, context, next) {
    if (!name.startsWith('~/')) return next(name, context);
    const path = name === '~/config' ? '~/config/constants' : name;
    const file = join(source, path.slice(2));
    const url = pathToFileURL(existsSync(`${file}.ts`) ? `${file}.ts` : join(file, 'index.ts'));
    return { url: url.href, shortCircuit: true };
  },
});
const load = (path) => import(pathToFileURL(join(source, path)).href);
const { YarnApiClient } = await load('lib/api/YarnApiClient.ts');
const { normalizeNodeLabels, normalizeNodeToLabels } = await load(
  'lib/normalizers/nodeDataNormalizers.ts'
);

// One line per value. Elements of a list go by their names, or by their places where they have
// none. resourceInformations, which the UI does not read, repeat memory and vCores.
const NAMES = ['queueName', 'partitionName', 'name', 'accessType', 'operation', 'username'];

function print(what, value) {
  if (value === null || typeof value !== 'object') {
    console.log(`${what}: ${JSON.stringify(value)}`);
    return;
  }
  const list = Array.isArray(value);
  const members = Object.entries(value).filter(([key]) => key !== 'resourceInformations');
  if (!members.length) console.log(`${what}: ${list ? '[]' : '{}'}`);
  for (const [key, member] of members) {
    const name = list ? NAMES.map((n) => member?.[n]).find((n) => n !== undefined) : undefined;
    print(`${what}${list ? `[${name ?? key}]` : `.${key}`}`, member);
  }
}

// A browser keeps cookies; Node's fetch does not, and the client needs none here.
const client = new YarnApiClient(`${process.argv[2]}/ws/v1/cluster`, {});

async function call(what, method, ...args) {
  try {
    const value = await client[method](...args);
    print(what, value === undefined ? null : value);
    return value;
  } catch (error) {
    console.log(`${what}: throws ${error.message}`);
    return undefined;
  }
}

const sorted = (conf) => conf?.property?.toSorted((a, b) => (a.name < b.name ? -1 : 1));

async function configuration(what) {
  print(what, sorted(await client.getSchedulerConf()));
}

async function labels(what) {
  const known = normalizeNodeLabels(await client.getNodeLabels());
  print(`${what}, labels`, known.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  const nodes = normalizeNodeToLabels(await client.getNodeToLabels());
  print(`${what}, of nodes`, nodes.toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1)));
}

const update = (queue, ...pairs) => ({
  'queue-name': queue,
  params: { entry: pairs.map(([key, value]) => ({ key, value })) },
});

async function validate(what, change) {
  try {
    print(what, sorted(await client.validateSchedulerConf(change)));
  } catch (error) {
    console.log(`${what}: throws ${error.message}`);
  }
}

// what the first page loads
await call('scheduler', 'getScheduler');
print('read-only', client.getIsReadOnly());
await configuration('configuration');
await call('version', 'getSchedulerConfVersion');
await call('http authentication', 'getConfiguration', 'hadoop.http.authentication.type');
await call('unknown property', 'getConfiguration', 'no.such.property');
const nodes = (await client.getNodes())?.nodes?.node ?? [];
nodes.sort((a, b) => (a.id < b.id ? -1 : 1));
print('nodes', nodes);

// the page of labels
await labels('at first');
await call('add labels', 'addNodeLabels', [
  { name: 'gpu', exclusivity: true },
  { name: 'ssd', exclusivity: false },
]);
await labels('added');
const ids = nodes.map((node) => node.id);
await call('label a node', 'replaceNodeToLabels', [{ nodeId: ids[0], labels: ['gpu'] }]);
await labels('labelled');
await call('scheduler, labelled', 'getScheduler');
await call('an unknown label', 'replaceNodeToLabels', [{ nodeId: ids[0], labels: ['none'] }]);
await call('remove a label in use', 'removeNodeLabels', ['gpu']);
await call('label no node', 'replaceNodeToLabels', [{ nodeId: ids[0], labels: [] }]);
await call('remove a label of queues', 'removeNodeLabels', ['gpu', 'ssd']);
await call('remove one of no queue', 'removeNodeLabels', ['ssd']);
await call('remove one in use and one unknown', 'removeNodeLabels', ['gpu', 'none']);
await call('remove an unknown label', 'removeNodeLabels', ['none']);
await labels('removed');

// a change of queues, staged, validated and applied
const children = (queue) => queue.queues?.queue ?? [];
const root = (await client.getScheduler()).scheduler.schedulerInfo;
const names = children(root).map((queue) => queue.queueName);
const [first, ...others] = names;
const shares = [
  update(`root.${first}`, ['capacity', '60'], ['maximum-capacity', '90']),
  ...others.map((name) => update(`root.${name}`, ['capacity', String(20 / others.length)])),
];
const added = update('root.fresh', ['capacity', '20'], ['state', 'RUNNING']);
const change = { 'update-queue': shares, 'add-queue': [added] };
await validate('validate', change);
const wrong = { 'update-queue': [update(`root.${first}`, ['capacity', '7'])] };
await validate('validate a wrong sum', wrong);
await call('a wrong sum', 'updateSchedulerConf', wrong);
await call('apply', 'updateSchedulerConf', change);
await call('scheduler, changed', 'getScheduler');
await call('global', 'updateSchedulerConf', {
  'global-updates': [
    { entry: [{ key: 'yarn.scheduler.capacity.maximum-am-resource-percent', value: '0.4' }] },
  ],
});
await call('remove a running queue', 'updateSchedulerConf', { 'remove-queue': 'root.fresh' });
await call('stop the queue', 'updateSchedulerConf', {
  'update-queue': [update('root.fresh', ['state', 'STOPPED'], ['capacity', '0'])].concat(
    update(`root.${first}`, ['capacity', '80'])
  ),
});
await call('remove the queue', 'updateSchedulerConf', { 'remove-queue': 'root.fresh' });
await call('remove no queue', 'updateSchedulerConf', { 'remove-queue': 'root.none' });
await configuration('configuration, changed');
await call('version, changed', 'getSchedulerConfVersion');
