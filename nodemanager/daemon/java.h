/* nodemanager/daemon/java.h - the Java of this node, as far as commands for it depend on its
 * version: options that open packages of the JDK, which clients leave to the node by the mark
 * <ADD_OPENS>, are needed from Java 17 on, and older ones refuse them.
 * SOURCE: Hadoop 3.4.2, whose NodeManager looks at the Java that runs it. */
#ifndef CREEL_NODEMANAGER_DAEMON_JAVA_H
#define CREEL_NODEMANAGER_DAEMON_JAVA_H

/* Returns the main version, such as 8 or 17, of the Java in folder @home, from its file "release";
 * 0 when that file tells none. */
int nm_java_read_version(const char *home);
/* Returns the options for the Java in @home or, if that is NULL or "", for the program java in the
 * folders of @path, which are separated by ":". "" for Java before 17; a Java of unknown version
 * gets the options. Reads files: call it once. */
const char *nm_java_find_options(const char *home, const char *path);

#endif
