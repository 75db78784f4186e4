#if Observability
  import HTTPTypes
  import LupineCore
  import Synchronization

  /// The current exchange of each request, updated by the session's events.
  final class HopTable: Sendable {
    /// The effect of an event.
    struct Change: Sendable {
      /// The exchange that began.
      var opened: Hop?
      /// The exchange that ended.
      var closed: Hop?
      /// The request's latest exchange, ended or not.
      var current: Hop?
    }

    fileprivate struct Entry: Sendable {
      var hop: Hop
      var isOpen = true
    }

    private let entries = Mutex<[RequestID: Entry]>([:])

    /// Applies an event to the table.
    func take(_ event: SessionEvent) -> Change {
      entries.withLock { entries in
        if case .sending(let summary) = event.kind {
          return Self.open(summary, event, &entries[event.request])
        }
        guard var entry = entries[event.request] else { return Change() }
        let wasOpen = entry.isOpen
        entry.take(event.kind)
        var isOver = false
        if case .finished = event.kind { isOver = true }
        entries[event.request] = isOver ? nil : entry
        return Change(closed: wasOpen && !entry.isOpen ? entry.hop : nil, current: entry.hop)
      }
    }

    /// Returns the latest exchange of a request.
    func current(of request: RequestID) -> Hop? { entries.withLock { $0[request]?.hop } }

    private static func open(_ summary: RequestSummary, _ event: SessionEvent, _ entry: inout Entry?) -> Change {
      let last = entry
      let hop = Hop(
        summary, attempt: event.attempt, resendCount: last.map { $0.hop.resendCount + 1 } ?? 0, started: event.time)
      entry = Entry(hop: hop)
      return Change(opened: hop, closed: last.flatMap { $0.isOpen ? $0.hop : nil }, current: hop)
    }
  }

  extension HopTable.Entry {
    fileprivate mutating func take(_ kind: SessionEvent.Kind) {
      switch kind {
      case .connected(let address, _): hop.peer = address
      case .sent(let bytes): hop.bytesSent = bytes
      case .head(let head): hop.status = head.status.code
      case .received(_, let metrics):
        hop.metrics = metrics
        isOpen = false
      case .failed(let error), .resending(let error, _):
        hop.error = error
        isOpen = false
      case .finished(let error):
        if isOpen { hop.error = error }
        isOpen = false
      default: break
      }
    }
  }
#endif
