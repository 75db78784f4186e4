#if Terminal
  import Dispatch

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Calls a closure when SIGTERM or SIGINT arrives; the signal itself does not end the process.
  ///
  /// It also ignores SIGPIPE, so that the process goes on if the reader of its output has ended.
  final class EndingSignals: Sendable {
    private let cancelAll: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
      signal(SIGPIPE, SIG_IGN)
      let sources = [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { action() }
        source.resume()
        return source
      }
      nonisolated(unsafe) let kept = sources
      cancelAll = { for source in kept { source.cancel() } }
    }

    func cancel() { cancelAll() }
  }
#endif
