/* HdfsOnNamedHosts FOLDER PORT HOSTS: for the script `locality`. An HDFS of Hadoop's minicluster in
 * this process, whose data nodes say that they are on HOSTS, separated by commas. All of them listen
 * on loopback. Prints "ready" when all have joined. */
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

public class HdfsOnNamedHosts {
    public static void main(String[] args) throws Exception {
        String[] hosts = args[2].split(",");
        Configuration conf = new Configuration();

        conf.set("hdfs.minidfs.basedir", args[0]);
        new MiniDFSCluster.Builder(conf).nameNodePort(Integer.parseInt(args[1]))
            .numDataNodes(hosts.length).hosts(hosts).build().waitActive();
        System.out.println("ready");
        Thread.currentThread().join();
    }
}
