import HTTPTypes
public import LupineCore
import LupineFoundation
public import LupineSession
import LupineSupport
import Synchronization

/// Downloads, decodes and filters pictures, each once for all who wait for it.
///
/// Equal requests share one download and one decoding; each waiter gets its own filters. Files are decoded on threads of
/// the downloader, never on the caller's actor or on a transport's thread. The requests are those of the session, with
/// its validation of redirects, its retriers and its network policy. Statuses outside 200 to 299 are refused.
///
/// The peak of its memory is that of `maximumDownloads` and `maximumDecodings` files together, plus that of
/// `maximumDecodings` decodings (`ImageLimits`) with their filters, plus the cache and the results that the program keeps.
///
/// ```swift
/// let downloader = ImageDownloader(session: session, cache: cache, configuration: configuration)
/// let portrait = try await downloader.image(
///   at: "portrait.jpeg", filters: [.aspectFit(width: 400, height: 400), .grey, .circle], priority: .high)
/// ```
public final class ImageDownloader: Sendable {
  /// Which of the waiting requests with the highest priority is next.
  public enum Order: Sendable, Hashable {
    /// The one that waits longest.
    case firstInFirstOut
    /// The newest one, as for a list that a user scrolls.
    case lastInFirstOut
  }

  /// The settings of a downloader.
  public struct Configuration: Sendable {
    /// The maximum number of downloads at a time, including files that wait for their decoding.
    ///
    /// Default: 4.
    public var maximumDownloads = 4
    /// The maximum number of decodings at a time, each on a thread of its own.
    ///
    /// Default: 2.
    public var maximumDecodings = 2
    /// The order of waiting requests with the same priority.
    ///
    /// Default: `firstInFirstOut`.
    public var order = Order.firstInFirstOut
    /// The limits on the files.
    public var limits = ImageLimits()
    /// How long a cached picture is used without a request for its file.
    ///
    /// After that time the request is sent again. It is sent each time for a file without a validator, and for one whose
    /// response has `no-store`, `no-cache` or `max-age=0`. If the validator of the response is that of the cached picture,
    /// the file is not decoded again. A cache of the session (`LupineCache`) decides whether the request reaches the server.
    ///
    /// Default: 60 seconds.
    public var reuseInterval = Duration.seconds(60)
    /// The clock of the limit of time and of `reuseInterval`.
    ///
    /// Default: a `ContinuousClock`.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the default settings.
    public init() {}
  }

  /// The numbers of a downloader.
  public struct Statistics: Sendable, Hashable {
    /// The number of downloads that were started.
    public var downloads = 0
    /// The number of files that were decoded.
    public var decodings = 0
    /// The number of pictures that were delivered from the cache.
    public var cached = 0
  }

  /// The settings.
  public let configuration: Configuration
  /// The cache of the results; `nil` if there is none.
  public let cache: ImageCache?
  let session: Session
  let clock: SessionClock
  private let threads: WorkerThreads
  let state: Mutex<State>

  struct State {
    var table: DownloadTable
    /// The running requests, to cancel them.
    var requests: [UInt64: ImageFileRequest] = [:]
    /// The validators of the last responses, and until when they are used without a request.
    var known = RecentTable<DownloadTable.Key, (validator: String?, end: Duration)>(limit: 1_024)
  }

  /// Creates a downloader.
  ///
  /// - Parameters:
  ///   - session: makes the requests.
  ///   - cache: keeps the results; `nil` keeps none. Default: a new cache with its default capacity.
  public init(
    session: Session, cache: ImageCache? = ImageCache(), configuration: Configuration = Configuration()
  ) {
    self.session = session
    self.cache = cache
    self.configuration = configuration
    clock = SessionClock(configuration.clock)
    let limit = max(configuration.maximumDecodings, 1)
    threads = WorkerThreads(limit: limit, kept: limit) { (run) throws(SystemThread.Failure) in
      try SystemThread("lupine-image", stackSize: 1 << 20, run).detach()
    } runRefused: {
      BlockingWork.start($0)
    }
    state = Mutex(State(table: DownloadTable(configuration)))
  }

  /// The numbers of downloads, decodings and cached pictures.
  public var statistics: Statistics { state.withLock { $0.table.statistics } }

  /// Returns a picture after the filters, from the cache or from the server.
  ///
  /// Cancelling the calling task ends its wait. The download is cancelled with the last waiting task. The deadlines of
  /// `Session.withDeadline` do not apply, because others may share the download; the session's timeouts do.
  ///
  /// - Parameters:
  ///   - url: the URL of the file; a relative reference is appended to the session's base URL.
  ///   - headers: fields in addition to the session's. Requests with different fields are not equal.
  ///   - filters: the filters of the result, which are part of the cache's key.
  ///   - priority: the place among waiting requests. An equal request takes part in the highest one. Default: `normal`.
  /// - Throws: `LupineError` of the request, of the decoding (`Image.init(decoding:contentType:filters:limits:clock:)`) or of a
  ///   filter.
  public func image(
    at url: some URLConvertible, headers: RequestHeaders = RequestHeaders(), filters: [ImageFilter] = [],
    priority: OutgoingRequest.Priority = .normal
  ) async throws(LupineError) -> Image {
    var request: OutgoingRequest
    do { request = try session.makeOutgoingRequest(url, parameters: Parameters?.none, headers: headers) } catch {
      throw error as? LupineError ?? LupineError(.invalidRequest, "\(error)", underlying: error)
    }
    request.options.priority = priority
    if let image = cachedImage(for: request, filters) { return image }
    let waiter = Waiter<Result<Image, LupineError>>()
    let waiting = DownloadTable.Waiting(filters: filters, priority: priority) { waiter.resume(returning: $0) }
    let (number, steps) = state.withLock { $0.table.add(waiting, for: request) }
    perform(steps)
    guard let result = await waiter.value() else {
      perform(state.withLock { $0.table.cancel(waiter: number) })
      throw LupineError(.cancelled, "The task that waited for the picture was cancelled.").about(request.summary)
    }
    return try result.get()
  }

  /// Runs a decoding on a thread of the downloader, or in a task of a simulation.
  func runDecoding(_ job: @escaping @Sendable () -> Void) {
    if BlockingWork.runsInline { BlockingWork.start(job) } else { threads.add(job) }
  }

  /// The cached picture of a file that needs no request yet.
  private func cachedImage(for request: OutgoingRequest, _ filters: [ImageFilter]) -> Image? {
    guard let cache else { return nil }
    let key = DownloadTable.Key(request)
    let now = clock.now()
    guard let known = state.withLock({ $0.known[key] }), now < known.end,
      let image = cache.image(for: key.cacheKey(known.validator, filters))
    else { return nil }
    state.withLock { $0.table.countCached() }
    return image
  }
}
