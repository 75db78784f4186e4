#if Terminal
  import LupineCore
  import LupineSession
  import Synchronization

  /// The last exchange of a request, whose URL a redirect may have named.
  final class LastExchange: Sendable {
    private let last = Mutex<RequestSummary?>(nil)

    /// The request of the exchange; `nil` before the first one.
    var request: RequestSummary? { last.withLock(\.self) }

    /// Records the exchanges of a request.
    init(of request: some SessionRequest) {
      request.monitor(
        .custom(for: [.sending]) { [weak self] event in
          if case .sending(let summary, _) = event.kind { self?.last.withLock { $0 = summary } }
        })
    }
  }
#endif
