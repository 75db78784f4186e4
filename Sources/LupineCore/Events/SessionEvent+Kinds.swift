extension SessionEvent {
  /// A set of kinds of events; each member has the name of its case of `SessionEvent.Kind`.
  public struct Kinds: OptionSet, Sendable {
    /// One bit for each kind.
    public let rawValue: UInt64

    /// Creates a set from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    private init(bit: UInt64) { rawValue = 1 << bit }

    /// Every kind, including those of later versions.
    public static let all = Kinds(rawValue: .max)
    /// The events `SessionEvent.Kind.started`.
    public static let started = Kinds(bit: 0)
    /// The events `SessionEvent.Kind.adapted`.
    public static let adapted = Kinds(bit: 1)
    /// The events `SessionEvent.Kind.attempting`.
    public static let attempting = Kinds(bit: 2)
    /// The events `SessionEvent.Kind.sending`.
    public static let sending = Kinds(bit: 3)
    /// The events `SessionEvent.Kind.resending`.
    public static let resending = Kinds(bit: 4)
    /// The events `SessionEvent.Kind.queued`.
    public static let queued = Kinds(bit: 5)
    /// The events `SessionEvent.Kind.nameResolved`.
    public static let nameResolved = Kinds(bit: 6)
    /// The events `SessionEvent.Kind.connected`.
    public static let connected = Kinds(bit: 7)
    /// The events `SessionEvent.Kind.tunnelled`.
    public static let tunnelled = Kinds(bit: 8)
    /// The events `SessionEvent.Kind.secured`.
    public static let secured = Kinds(bit: 9)
    /// The events `SessionEvent.Kind.sent`.
    public static let sent = Kinds(bit: 10)
    /// The events `SessionEvent.Kind.warning`.
    public static let warning = Kinds(bit: 11)
    /// The events `SessionEvent.Kind.informational`.
    public static let informational = Kinds(bit: 12)
    /// The events `SessionEvent.Kind.head`.
    public static let head = Kinds(bit: 13)
    /// The events `SessionEvent.Kind.trailers`.
    public static let trailers = Kinds(bit: 14)
    /// The events `SessionEvent.Kind.received`.
    public static let received = Kinds(bit: 15)
    /// The events `SessionEvent.Kind.failed`.
    public static let failed = Kinds(bit: 16)
    /// The events `SessionEvent.Kind.continued`.
    public static let continued = Kinds(bit: 17)
    /// The events `SessionEvent.Kind.redirected`.
    public static let redirected = Kinds(bit: 18)
    /// The events `SessionEvent.Kind.challenged`.
    public static let challenged = Kinds(bit: 19)
    /// The events `SessionEvent.Kind.validated`.
    public static let validated = Kinds(bit: 20)
    /// The events `SessionEvent.Kind.retrying`.
    public static let retrying = Kinds(bit: 21)
    /// The events `SessionEvent.Kind.decided`.
    public static let decided = Kinds(bit: 22)
    /// The events `SessionEvent.Kind.suspended`.
    public static let suspended = Kinds(bit: 23)
    /// The events `SessionEvent.Kind.resumed`.
    public static let resumed = Kinds(bit: 24)
    /// The events `SessionEvent.Kind.finished`.
    public static let finished = Kinds(bit: 25)
    /// The events `SessionEvent.Kind.serialized`.
    public static let serialized = Kinds(bit: 26)
  }
}

extension SessionEvent.Kind {
  /// The set that contains this kind alone.
  public var kinds: SessionEvent.Kinds {
    switch self {
    case .started: .started
    case .adapted: .adapted
    case .attempting: .attempting
    case .sending: .sending
    case .resending: .resending
    case .queued: .queued
    case .nameResolved: .nameResolved
    case .connected: .connected
    case .tunnelled: .tunnelled
    case .secured: .secured
    case .sent: .sent
    case .warning: .warning
    case .informational: .informational
    case .head: .head
    case .trailers: .trailers
    case .received: .received
    case .failed: .failed
    case .continued: .continued
    case .redirected: .redirected
    case .challenged: .challenged
    case .validated: .validated
    case .retrying: .retrying
    case .decided: .decided
    case .suspended: .suspended
    case .resumed: .resumed
    case .finished: .finished
    case .serialized: .serialized
    }
  }
}
