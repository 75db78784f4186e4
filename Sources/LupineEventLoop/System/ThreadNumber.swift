#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Identifies a running thread of this process; never 0.
enum ThreadNumber {
  /// The number of the calling thread.
  ///
  /// A thread of a later time may have the number of one that has ended.
  static var current: UInt { withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) } }
}
