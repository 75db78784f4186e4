import LupineCore

/// A state machine over the kernel's tables, without a socket.
///
/// Its input is datagrams, and its output is requests and reports. A report waits until the current dump is complete,
/// so that it never contains a part of a table.
struct KernelView {
  enum Output: Equatable {
    case send(NetlinkRequest, sequence: UInt32)
    case path(NetworkPath)
    case hostPath(UInt64, NetworkPath)
    case failed(NetlinkFailure)
  }

  private struct Dump {
    let table: KernelTable
    let sequence: UInt32
    var hasBegun = false
    var wasInterrupted = false
  }

  /// The maximum number of repetitions of a dump during which the table changed; after that, its notifications must
  /// suffice.
  private static let interruptionLimit = 8
  /// The maximum number of consecutive repetitions of a dump that the kernel could not make, without another message.
  private static let refusalLimit = 8

  private let port: UInt32
  private let classifier: InterfaceClassifier
  private let resolverFile: ResolverFile
  private var state = NetworkState()
  private var hosts = WatchedHosts()
  private var pendingTables = KernelTable.allCases
  private var dump: Dump?
  private var interruptions = 0
  private var refusals = 0
  private var lastSequence: UInt32 = 0
  private var needsUpdate = true
  private var path: NetworkPath?
  private var results: [Output] = []

  /// Creates a state machine that has to request every table.
  ///
  /// - Parameter port: the socket's port ID, which distinguishes answers from notifications.
  init(
    port: UInt32, classifier: InterfaceClassifier = InterfaceClassifier(), resolverFile: ResolverFile = ResolverFile()
  ) {
    self.port = port
    self.classifier = classifier
    self.resolverFile = resolverFile
  }

  /// Processes a datagram.
  mutating func receive(_ datagram: UnsafeRawBufferPointer) {
    for message in NetlinkMessages(datagram) {
      if message.port != port {
        refusals = 0
        if let notice = KernelMessage(message) { apply(notice) }
      } else if message.sequence == dump?.sequence {
        applyPart(message)
      } else if let answer = KernelMessage(message), let host = hosts.answer(message.sequence, answer) {
        report(host)
      }
    }
  }

  /// Requests all tables again after lost messages.
  mutating func overrun() { KernelTable.allCases.forEach { addPendingTable($0) } }

  /// Whether a dump was requested and no part of it has been read.
  ///
  /// The kernel writes the first part of a dump before the request's `send` returns (netlink(7)). The part is therefore
  /// in the socket's buffer, or was lost because the buffer was full.
  var isUnanswered: Bool { dump?.hasBegun == false }

  /// Requests a dump again whose answer was lost; called when no message waits.
  mutating func drained() {
    if let dump, isUnanswered { repeatDump(dump, NetlinkFailure.lostAnswer) }
  }

  /// Sets the addresses of a watched host.
  mutating func setHost(_ id: UInt64, _ addresses: [IPAddress]) { hosts.set(id, addresses) }

  /// Records the reason why a watched host has no address.
  mutating func failHost(_ id: UInt64, _ reason: String) { hosts.fail(id, reason) }

  mutating func removeHost(_ id: UInt64) { hosts.remove(id) }

  /// Returns the next actions, after all available datagrams have been processed.
  mutating func settle() -> [Output] {
    if dump == nil {
      if pendingTables.isEmpty { reportChanges() } else { requestNextTable() }
    }
    defer { results = [] }
    return results
  }

  private mutating func requestNextTable() {
    let dump = Dump(table: pendingTables.removeFirst(), sequence: nextSequence())
    self.dump = dump
    results.append(.send(.dump(dump.table), sequence: dump.sequence))
  }

  private mutating func reportChanges() {
    if needsUpdate {
      needsUpdate = false
      let path = state.path(dnsServers: resolverFile.servers())
      if path != self.path { results.append(.path(path)) }
      self.path = path
    }
    var sequence = lastSequence
    let (requests, finished) = hosts.begin { Self.advance(&sequence) }
    lastSequence = sequence
    results += requests.map { .send($0.request, sequence: $0.sequence) }
    finished.forEach { report($0) }
  }

  private mutating func report(_ host: UInt64) {
    guard var path else { return }
    path.status = hosts.status(of: host, in: state)
    results.append(.hostPath(host, path))
  }

  private mutating func nextSequence() -> UInt32 { Self.advance(&lastSequence) }

  /// Returns the next sequence number; 0 is reserved for messages without a request.
  private static func advance(_ sequence: inout UInt32) -> UInt32 {
    sequence = sequence == .max ? 1 : sequence + 1
    return sequence
  }
}

extension KernelView {
  /// Processes a part of the current dump.
  private mutating func applyPart(_ message: NetlinkMessages.Message) {
    guard var dump else { return }
    let content = KernelMessage(message)
    if case .answer(let code) = content, NetlinkFailure.transientErrors.contains(code) { return repeatDump(dump, code) }
    refusals = 0
    if !dump.hasBegun {
      // Notifications before the first part are older than the dump.
      dump.hasBegun = true
      state.clear(dump.table)
    }
    if message.isInterrupted { dump.wasInterrupted = true }
    self.dump = dump
    switch content {
    case .done(let code): end(dump, code)
    case .answer(let code) where code != 0: fail(code)
    case .link(let link): _ = state.set(link, classify: classifier.kind)
    case .address(let address): _ = state.set(address)
    case .route(let route): state.add(route)
    default: break
    }
  }

  private mutating func repeatDump(_ dump: Dump, _ code: Int32) {
    refusals += 1
    guard refusals <= Self.refusalLimit else { return fail(code) }
    self.dump = nil
    addPendingTable(dump.table)
  }

  private mutating func end(_ dump: Dump, _ code: Int32) {
    if NetlinkFailure.transientErrors.contains(code) { return repeatDump(dump, code) }
    guard code == 0 else { return fail(code) }
    self.dump = nil
    needsUpdate = true
    hosts.markAllForLookup()
    if dump.wasInterrupted, interruptions < Self.interruptionLimit {
      interruptions += 1
      addPendingTable(dump.table)
    } else {
      interruptions = 0
    }
  }

  private mutating func fail(_ code: Int32) {
    dump = nil
    results.append(.failed(NetlinkFailure("the kernel refuses to list its tables", code: code)))
  }

  private mutating func addPendingTable(_ table: KernelTable) {
    if !pendingTables.contains(table) { pendingTables.append(table) }
  }
}

extension KernelView {
  /// Processes the notification of a change.
  private mutating func apply(_ notice: KernelMessage) {
    switch notice {
    case .link(let link): if state.set(link, classify: classifier.kind) { linkChanged(link.index) }
    case .linkRemoved(let index):
      let hadRoute = state.hasDefaultRoute(index)
      if state.removeLink(index) { changed() }
      if hadRoute { addPendingTable(.routes) }
    case .address(let address): if state.set(address) { changed() }
    case .addressRemoved(let address):
      if state.remove(address) { changed() }
      // The kernel removes the routes with this source address without a notification.
      if address.isGlobal { addPendingTable(.routes) }
    case .route(let route), .routeRemoved(let route):
      hosts.markAllForLookup()
      // A notification does not identify the route that it replaces, so the default routes are requested again.
      if route.isDefault { addPendingTable(.routes) }
    case .done, .answer: break
    }
  }

  /// Requests the routes, because the kernel removes IPv4 routes with their link without a notification.
  private mutating func linkChanged(_ index: Int32) {
    changed()
    if state.hasDefaultRoute(index) { addPendingTable(.routes) }
  }

  private mutating func changed() {
    needsUpdate = true
    hosts.markAllForLookup()
  }
}
