import LupineCore

/// What is known of the kernel's tables, from the first question on: a machine without a socket.
///
/// It is fed with datagrams and says what to send and what to report. Reports wait until a table that is being told has
/// been told, so that no half of one is ever shown.
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

  /// How often a table is asked for again because it changed while it was told, before its notices must do.
  private static let interruptionLimit = 8
  /// How often in a row a table is asked for again because the kernel could not tell it, with no message in between.
  private static let refusalLimit = 8

  private let port: UInt32
  private let classifier: InterfaceClassifier
  private let resolverFile: ResolverFile
  private var state = NetworkState()
  private var hosts = WatchedHosts()
  private var wanted = KernelTable.allCases
  private var dump: Dump?
  private var interruptions = 0
  private var refusals = 0
  private var lastSequence: UInt32 = 0
  private var isTouched = true
  private var path: NetworkPath?
  private var results: [Output] = []

  /// - Parameter port: the socket's own name, by which answers are told from notices.
  init(
    port: UInt32, classifier: InterfaceClassifier = InterfaceClassifier(), resolverFile: ResolverFile = ResolverFile()
  ) {
    self.port = port
    self.classifier = classifier
    self.resolverFile = resolverFile
  }

  /// Takes a datagram in.
  mutating func receive(_ datagram: UnsafeRawBufferPointer) {
    for message in NetlinkMessages(datagram) {
      if message.port != port {
        refusals = 0
        if let notice = KernelMessage(message) { take(notice) }
      } else if message.sequence == dump?.sequence {
        takePart(message)
      } else if let answer = KernelMessage(message), let host = hosts.answer(message.sequence, answer) {
        report(host)
      }
    }
  }

  /// Has everything told anew, because messages were lost.
  mutating func overrun() { KernelTable.allCases.forEach { want($0) } }

  /// Whether a table was asked for and nothing of the answer has been read.
  ///
  /// The kernel writes the beginning of its answer before the question has been sent (netlink(7)), so the answer is
  /// among the messages that wait, or was lost because they filled the socket.
  var isUnanswered: Bool { dump?.hasBegun == false }

  /// Asks again for a table whose answer was lost; called when no message waits.
  mutating func drained() {
    if let dump, isUnanswered { askAgain(dump, NetlinkFailure.lostAnswer) }
  }

  /// Names the addresses of a host that is watched.
  mutating func setHost(_ id: UInt64, _ addresses: [IPAddress]) { hosts.set(id, addresses) }

  /// Says why a host that is watched has no address.
  mutating func failHost(_ id: UInt64, _ reason: String) { hosts.fail(id, reason) }

  mutating func removeHost(_ id: UInt64) { hosts.remove(id) }

  /// What is to be done, once everything that had arrived has been taken in.
  mutating func settle() -> [Output] {
    if dump == nil {
      if wanted.isEmpty { conclude() } else { ask() }
    }
    defer { results = [] }
    return results
  }

  private mutating func ask() {
    let dump = Dump(table: wanted.removeFirst(), sequence: nextSequence())
    self.dump = dump
    results.append(.send(.dump(dump.table), sequence: dump.sequence))
  }

  private mutating func conclude() {
    if isTouched {
      isTouched = false
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

  /// Never 0, which stands for no question at all.
  private static func advance(_ sequence: inout UInt32) -> UInt32 {
    sequence = sequence == .max ? 1 : sequence + 1
    return sequence
  }
}

extension KernelView {
  /// Takes in a part of the table that is being told.
  private mutating func takePart(_ message: NetlinkMessages.Message) {
    guard var dump else { return }
    let content = KernelMessage(message)
    if case .answer(let code) = content, NetlinkFailure.momentary.contains(code) { return askAgain(dump, code) }
    refusals = 0
    if !dump.hasBegun {
      // What had been noticed before the first part is older than the table.
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

  private mutating func askAgain(_ dump: Dump, _ code: Int32) {
    refusals += 1
    guard refusals <= Self.refusalLimit else { return fail(code) }
    self.dump = nil
    want(dump.table)
  }

  private mutating func end(_ dump: Dump, _ code: Int32) {
    if NetlinkFailure.momentary.contains(code) { return askAgain(dump, code) }
    guard code == 0 else { return fail(code) }
    self.dump = nil
    isTouched = true
    hosts.touch()
    if dump.wasInterrupted, interruptions < Self.interruptionLimit {
      interruptions += 1
      want(dump.table)
    } else {
      interruptions = 0
    }
  }

  private mutating func fail(_ code: Int32) {
    dump = nil
    results.append(.failed(NetlinkFailure("the kernel refuses to tell its tables", code: code)))
  }

  private mutating func want(_ table: KernelTable) {
    if !wanted.contains(table) { wanted.append(table) }
  }
}

extension KernelView {
  /// Takes in a notice of a change.
  private mutating func take(_ notice: KernelMessage) {
    switch notice {
    case .link(let link): if state.set(link, classify: classifier.kind) { linkChanged(link.index) }
    case .linkRemoved(let index):
      let hadRoute = state.hasDefaultRoute(index)
      if state.removeLink(index) { changed() }
      if hadRoute { want(.routes) }
    case .address(let address): if state.set(address) { changed() }
    case .addressRemoved(let address):
      if state.remove(address) { changed() }
      // Routes that had it for a source go with it, and no notice says so.
      if address.isGlobal { want(.routes) }
    case .route(let route), .routeRemoved(let route):
      hosts.touch()
      // A notice tells little of what it replaces; default routes are few, so all are asked for again.
      if route.isDefault { want(.routes) }
    case .done, .answer: break
    }
  }

  /// IPv4 routes vanish with their link, and no notice says so.
  private mutating func linkChanged(_ index: Int32) {
    changed()
    if state.hasDefaultRoute(index) { want(.routes) }
  }

  private mutating func changed() {
    isTouched = true
    hosts.touch()
  }
}
