import Glibc

/// Identifies the loopback server's connections: each has its own thread.
func currentThread() -> UInt { UInt(pthread_self()) }
