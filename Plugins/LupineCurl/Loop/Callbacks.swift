import CLibcurl
import LupineCore
import LupineTLS

/// Forwards libcurl's callbacks to the objects behind their context pointers.
///
/// The pointers hold no reference. An `Easy` exists as long as its handle, and a `Multi` exists until its handle has
/// been cleaned up. So a pointer is valid in every call. The exchange of a handle is valid as well: an exchange ends
/// between calls of libcurl, never within one. Debug builds assert this.
enum Callbacks {
  static func install(_ multi: Multi, on handle: UnsafeMutableRawPointer) {
    lupine_multi_set_callbacks(handle, socketChanged, timerChanged, Unmanaged.passUnretained(multi).toOpaque())
  }

  static func install(_ easy: Easy, of multi: Multi, on handle: UnsafeMutableRawPointer) {
    let context = Unmanaged.passUnretained(easy).toOpaque()
    for option in [
      CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_PREREQDATA, CURLOPT_DEBUGDATA,
      CURLOPT_SSL_CTX_DATA,
    ] {
      lupine_easy_set_pointer(handle, option, context)
    }
    lupine_easy_set_debug(handle, textArrived)
    lupine_easy_set_data_callback(handle, CURLOPT_WRITEFUNCTION, bodyArrived)
    lupine_easy_set_data_callback(handle, CURLOPT_HEADERFUNCTION, lineArrived)
    lupine_easy_set_data_callback(handle, CURLOPT_READFUNCTION, bodyRequested)
    lupine_easy_set_prerequest(handle, requestBegins)
    lupine_easy_set_ssl_context_function(handle, tlsContextCreated)
    lupine_easy_set_lookup_callback(handle, lookupStarts, context)
    // A connection outlives the handle that opened it, so the multi receives the close callback.
    lupine_easy_set_socket_callbacks(
      handle, socketRequested, context, socketReleased, Unmanaged.passUnretained(multi).toOpaque())
  }

  /// Returns the exchange that an easy handle serves.
  static func exchange(of handle: UnsafeMutableRawPointer) -> Exchange? {
    lupine_easy_private(handle).flatMap { Unmanaged<Easy>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.exchange } }
  }

  /// Calls `body` with the exchange of an easy handle and the handle's object; returns nil if there is no exchange.
  private static func withExchange<Result>(
    _ context: UnsafeMutableRawPointer?, _ body: (Exchange, Easy) -> Result
  ) -> Result? {
    guard let context else { return nil }
    return Unmanaged<Easy>.fromOpaque(context)._withUnsafeGuaranteedRef { easy in
      easy.exchangeReference?._withUnsafeGuaranteedRef { body($0, easy) }
    }
  }

  /// Like `withExchange`, but excludes the time from the time that `Watchdog` measures for libcurl.
  private static func excludingTimeWithExchange<Result>(
    _ context: UnsafeMutableRawPointer?, _ body: (Exchange, Easy) -> Result
  ) -> Result? {
    withExchange(context) { exchange, easy in easy.watchdog.excludingTime { body(exchange, easy) } }
  }

  private static func with(_ context: UnsafeMutableRawPointer?, _ body: (Multi) -> Void) {
    if let context { Unmanaged<Multi>.fromOpaque(context)._withUnsafeGuaranteedRef(body) }
  }

  private static let lineArrived: lupine_data_callback = { bytes, size, count, context in
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let context else { return 0 }
    return Unmanaged<Easy>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receive(line: line) } ? line.count : 0
  }

  private static let bodyArrived: lupine_data_callback = { bytes, size, count, context in
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return excludingTimeWithExchange(context) { $1.receive(piece: piece, $0) } ?? Int(CURL_WRITEFUNC_ERROR)
  }

  private static let bodyRequested: lupine_data_callback = { bytes, size, count, context in
    let space = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return excludingTimeWithExchange(context) { exchange, _ in exchange.readBody(into: space) }
      ?? Int(CURL_READFUNC_ABORT)
  }

  private static let requestBegins: lupine_prerequest_callback = { context, remote, _, remotePort, localPort in
    let maySendRequest =
      excludingTimeWithExchange(context) {
        $0.maySendRequest(localPort: localPort, remotePort: remotePort, address: remote, $1)
      }
      == true
    return maySendRequest ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  private static let tlsContextCreated: lupine_ssl_context_callback = { _, context, argument in
    guard let context, let argument else { return CURLE_SSL_CONNECT_ERROR }
    let isReady = Unmanaged<Easy>.fromOpaque(argument)._withUnsafeGuaranteedRef { easy in
      easy.watchdog.excludingTime { easy.prepareTLS(OpaquePointer(context)) }
    }
    return isReady ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
  }

  private static let textArrived: lupine_debug_callback = { _, kind, bytes, count, context in
    let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
    if let context { Unmanaged<Easy>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receive(debug: bytes, kind) } }
    return 0
  }

  private static let lookupStarts: curl_resolver_start_callback = { _, _, context in
    withExchange(context) { $1.mayResolve(for: $0) } == true ? 0 : 1
  }

  private static let socketRequested: lupine_open_callback = { context, _, address in
    guard let address, let context else { return CURL_SOCKET_BAD }
    return Unmanaged<Easy>.fromOpaque(context).takeUnretainedValue().openSocket(for: address)
  }

  private static let socketReleased: lupine_close_callback = { context, descriptor in
    with(context) { multi in
      multi.connectionClosed()
      multi.loop.close(descriptor, of: multi)
    }
    return 0
  }

  private static let socketChanged: curl_socket_callback = { handle, descriptor, what, context, _ in
    let id = withExchange(handle.flatMap { lupine_easy_private($0) }) { exchange, easy in
      exchange.recordEvents(of: descriptor, what, easy)
      return exchange.id
    }
    with(context) { $0.loop.updateEvents(of: descriptor, what, for: $0, exchange: id ?? 0) }
    return 0
  }

  private static let timerChanged: curl_multi_timer_callback = { _, milliseconds, context in
    with(context) { $0.setTimer(milliseconds: milliseconds) }
    return 0
  }
}
