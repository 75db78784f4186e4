import CLibcurl
import LupineCore
import LupineEventLoop
import LupineFoundation
import LupineSupport
import LupineTLS

/// One of libcurl's multi handles with its own pool of connections, used on the loop's thread.
///
/// It outlives its easy handles and connections, whose callbacks refer to it.
final class Multi {
  let loop: Loop
  let settings: EasySettings
  let route: Route
  /// Whether the certificates that TLS needs have been checked.
  private(set) var isReadyForTLS = false
  /// When libcurl must be called without an event; 0 means at once, nil means never.
  private(set) var deadline: UInt64?
  /// The numbers of the exchanges whose connection to an address has failed since the last turn.
  private var failedConnects: [UInt64] = []
  /// Whether the multi has an idle connection that may be closed for another one.
  var hasIdleConnection = false
  /// Whether uploads on connections of the multi may wait for the server's window.
  var awaitsWindow = false
  /// The addresses of the connections by their local ports, if they are not those that libcurl knows.
  var replacedPeers: [Int32: IPAddress] = [:]
  /// The last addresses of each host and port that libcurl got from the transport.
  private var addresses: [String: [IPAddress]] = [:]
  private var handle: MultiHandle
  /// The pointer of `handle`, which does not change.
  private let pointer: UnsafeMutableRawPointer
  /// The easy handles without an exchange; the one used last is the next to be used.
  private var idleHandles: [Easy] = []
  /// The number of exchanges that run or wait in this multi.
  private var exchangeCount = 0
  /// The number of transfers that were removed without a connection; see `replaceRemovedWaiting()`.
  private var removedWaiting = 0
  private let maximumIdle: Int
  private var unsentRequests = UnsentRequests()
  private var lastDetails: (connection: OpaquePointer, details: TLSDetails)?
  /// When the last exchange ended; nil while there are exchanges.
  private var idleSince: UInt64? = MonotonicClock.now
  private var idleLifetime: UInt64

  init(_ route: Route, _ loop: Loop) throws(LupineError) {
    self.loop = loop
    settings = EasySettings(route, loop.configuration)
    self.route = route
    maximumIdle = max(64, loop.configuration.network.connections)
    idleLifetime = Self.nanoseconds(loop.configuration.network.idleConnectionLifetime)
    handle = try MultiHandle(loop.configuration)
    pointer = handle.pointer
    Callbacks.install(self, on: pointer)
  }

  /// Checks the root certificates and the client certificate before the first TLS connection.
  ///
  /// libcurl would report unusable certificates only during the handshake.
  func checkCertificates(now: Date) throws(LupineError) {
    if isReadyForTLS { return }
    if let issue = LibcurlInfo.issues(with: settings.algorithms).first {
      throw .unusable(issue.part, "No TLS connection can be made: \(issue.reason).")
    }
    _ = try roots()
    if let certificate = settings.connectionKey.clientCertificate {
      try ClientCertificateCheck.check(certificate, now: now)
    }
    isReadyForTLS = true
  }

  /// Returns the root certificates that verify the multi's servers.
  func roots() throws(LupineError) -> TrustedRoots { try loop.roots.roots(in: settings.rootFiles) }

  /// Returns the addresses that libcurl got for a host; none if it resolves the host itself.
  func addresses(of endpoint: (host: String, port: Int)) -> [IPAddress] {
    addresses["\(endpoint.host):\(endpoint.port)"] ?? []
  }

  /// Records the addresses of a host; the multi keeps those of 1,000 hosts at most.
  func record(_ found: [IPAddress], of endpoint: (host: String, port: Int)) {
    if addresses.count >= 1_000 { addresses = [:] }
    addresses["\(endpoint.host):\(endpoint.port)"] = found
  }

  /// Records that an exchange will use the multi.
  func addExchange() {
    exchangeCount += 1
    idleSince = nil
  }

  /// Records that an exchange is over.
  func removeExchange(at now: UInt64) {
    exchangeCount -= 1
    if exchangeCount == 0 { idleSince = now }
  }

  func makeEasy() throws(LupineError) -> Easy {
    if let easy = idleHandles.popLast() { return easy }
    return try Easy(self)
  }

  func add(_ easy: Easy) throws(LupineError) {
    let code = curl_multi_add_handle(pointer, easy.pointer)
    guard code == CURLM_OK else { throw CurlError.error(code) }
  }

  /// Restarts a transfer that has ended.
  func restart(_ easy: Easy) throws(LupineError) {
    removeHandle(of: easy)
    let code = curl_multi_add_handle(pointer, easy.pointer)
    guard code == CURLM_OK else { throw CurlError.error(code) }
  }

  /// Like `restart`, but first closes the oldest idle connection.
  ///
  /// To do so, it lowers libcurl's limit of connections to the number of open ones for a moment.
  func restartReplacingIdle(_ easy: Easy) throws(LupineError) {
    try restart(easy)
    guard hasIdleConnection else { return }
    hasIdleConnection = false
    lupine_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, loop.sockets.connections(of: self).count))
    deadline = nil
    callSocketAction(CURL_SOCKET_TIMEOUT, 0)
    lupine_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, loop.configuration.network.connections))
  }

  /// Records the idle lifetime that an exchange allows; the longest one counts.
  func extendIdleLifetime(to duration: Duration?) {
    if let duration { idleLifetime = max(idleLifetime, Self.nanoseconds(duration)) }
  }

  /// Whether the multi has been idle for so long that no connection would be reused.
  var isStale: Bool { staleAt.map { $0 <= MonotonicClock.now } ?? false }

  /// Whether no exchange uses the multi.
  var isUnused: Bool { exchangeCount == 0 }

  /// When the loop must call the multi; nil means only on events.
  var nextCall: UInt64? {
    guard let staleAt else { return deadline }
    return min(staleAt, deadline ?? .max)
  }

  private var staleAt: UInt64? { idleSince.map { $0 + idleLifetime } }

  /// Returns the duration as libcurl counts it: in whole seconds, at least one.
  private static func nanoseconds(_ duration: Duration) -> UInt64 {
    UInt64(clamping: max(1, min(duration.boundedSeconds, 1 << 30))) * 1_000_000_000
  }

  /// Removes the easy handle, which ends its transfer, and keeps the handle for the next exchange if it is reusable.
  ///
  /// - Parameter hasWaited: whether the transfer has had no connection.
  func remove(_ easy: Easy, isReusable: Bool, hasWaited: Bool) {
    removeHandle(of: easy)
    if hasWaited { removedWaiting += 1 }
    easy.detach()
    if isReusable, idleHandles.count < maximumIdle { idleHandles.append(easy) }
  }

  /// Returns the number of transfers that were removed without a connection since the last call.
  func takeRemovedWaiting() -> Int {
    defer { removedWaiting = 0 }
    return removedWaiting
  }

  /// Keeps the removed handle of an exchange whose request may not have been sent; see `UnsentRequests`.
  func keepIfUnsent(_ easy: Easy, of exchange: Exchange) {
    guard LibcurlInfo.usesRemovedHandles, !exchange.clock.hasResponse, let stream = exchange.stream.number else {
      return
    }
    let spent = unsentRequests.add(easy, stream: stream, on: exchange.connection.shared) {
      loop.sockets.connections(of: self)
    }
    for connection in spent { loop.close(connection) }
  }

  func setTimer(milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : milliseconds == 0 ? 0 : MonotonicClock.now + UInt64(milliseconds) * 1_000_000
  }

  /// Calls libcurl if its deadline has passed.
  func handleTimeout(isTimeUp: Bool) {
    guard let deadline, deadline == 0 || (isTimeUp && MonotonicClock.milliseconds(until: deadline) == 0) else { return }
    self.deadline = nil
    callSocketAction(CURL_SOCKET_TIMEOUT, 0)
    loop.resumeWriting(of: self)
  }

  /// Calls libcurl for a descriptor that is ready.
  func handleEvents(of descriptor: Int32, _ readiness: UInt32) {
    var action: Int32 = 0
    if readiness & Poller.readable != 0 { action |= CURL_CSELECT_IN }
    if readiness & Poller.writable != 0 { action |= CURL_CSELECT_OUT }
    if readiness & Poller.broken != 0 { action |= CURL_CSELECT_IN | CURL_CSELECT_ERR }
    callSocketAction(descriptor, action)
  }

  /// Records that an exchange's connection to an address has failed.
  func recordFailedConnect(of exchange: Exchange) { failedConnects.append(exchange.id) }

  /// Makes libcurl try the next address after a failed one.
  ///
  /// libcurl 7.88 would start this attempt only with a timer, up to half of the connect timeout later. Only these
  /// transfers are called: `curl_multi_socket_all` would forget those for which another one has read frames meanwhile.
  func tryNextAddresses() {
    while !failedConnects.isEmpty {
      let failed = failedConnects
      failedConnects = []
      for id in failed { if let exchange = loop.exchanges[id] { setTimer(of: exchange) } }
      deadline = nil
      callSocketAction(CURL_SOCKET_TIMEOUT, 0)
    }
  }

  /// Makes libcurl's timer for a transfer expire now, which the end of a pause does.
  private func setTimer(of exchange: Exchange) {
    guard let easy = exchange.easy else { return }
    loop.callLibrary {
      _ = curl_easy_pause(easy.pointer, exchange.pauses ^ CURLPAUSE_RECV)
      _ = curl_easy_pause(easy.pointer, exchange.pauses)
    }
  }

  /// Ends the exchanges whose transfers libcurl has completed.
  func completeFinished() {
    if !unsentRequests.isEmpty { unsentRequests.closeUnused() }
    guard exchangeCount > 0 else { return }
    var left: Int32 = 0
    while let message = curl_multi_info_read(pointer, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let code = lupine_message_result(message)
      Callbacks.exchange(of: easy)?.transferEnded(code)
    }
  }

  /// Returns the TLS details of a connection.
  ///
  /// The last result is cached until a connection is closed, because a new connection may have the same memory address.
  func details(of connection: OpaquePointer) -> TLSDetails {
    if let lastDetails, lastDetails.connection == connection { return lastDetails.details }
    let details = TLSDetails(connection)
    lastDetails = (connection, details)
    return details
  }

  /// Records that one of the connections is closed.
  func connectionClosed() { lastDetails = nil }

  /// Closes every connection; the multi cannot be used after this call.
  func close() {
    idleHandles = []
    loop.watchdog.watching { handle.close() }
    unsentRequests = UnsentRequests()
  }

  /// Removes the easy handle from the multi.
  ///
  /// libcurl may close its connection, and before that reads what has arrived for TLS. A peer that goes on sending would
  /// hold the loop without the watchdog.
  private func removeHandle(of easy: Easy) {
    _ = loop.watchdog.watching { curl_multi_remove_handle(pointer, easy.pointer) }
  }

  private func callSocketAction(_ descriptor: Int32, _ action: Int32) {
    var running: Int32 = 0
    loop.callLibrary { _ = curl_multi_socket_action(pointer, descriptor, action, &running) }
  }
}

/// Owns one of libcurl's multi handles.
struct MultiHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  private var isOpen = true

  init(_ configuration: CurlTransport.Configuration) throws(LupineError) {
    guard let pointer = curl_multi_init() else {
      throw LupineError(.other, "libcurl has no memory for a multi handle.")
    }
    self.pointer = pointer
    HandleCount.add(1)
    set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    set(CURLMOPT_MAX_HOST_CONNECTIONS, configuration.network.connectionsPerHost)
    set(CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.network.connections)
    set(CURLMOPT_MAXCONNECTS, configuration.network.connections)
  }

  deinit { if isOpen { cleanUp() } }

  mutating func close() {
    if isOpen { cleanUp() }
    isOpen = false
  }

  private func cleanUp() {
    curl_multi_cleanup(pointer)
    HandleCount.add(-1)
  }

  private func set(_ option: CURLMoption, _ value: Int) { lupine_multi_set_long(pointer, option, max(1, value)) }
}
