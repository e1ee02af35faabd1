import Glibc

/// Tells the loopback server's connections apart: each has a thread of its own.
func currentThread() -> UInt { UInt(pthread_self()) }
