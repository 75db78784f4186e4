import HTTPTypes
import LupineCore
import LupineFoundation

/// Decides when files are downloaded and decoded, and who receives a picture.
///
/// A pure value: each change returns the steps that the downloader performs outside its lock.
struct DownloadTable {
  typealias Priority = OutgoingRequest.Priority

  /// Identifies equal requests.
  struct Key: Hashable {
    let url: HTTPURL
    let headers: HTTPFields

    init(_ request: OutgoingRequest) {
      url = request.url
      headers = request.headers
    }

    func cacheKey(_ validator: String?, _ filters: [ImageFilter]) -> ImageCache.Key {
      ImageCache.Key(url: url, headers: headers, validator: validator, filters: filters)
    }
  }

  /// A step outside the lock.
  enum Step {
    case download(job: UInt64, OutgoingRequest)
    case cancelDownload(job: UInt64)
    /// Decodes the file, or uses the picture of an earlier decoding, and makes a result for each list of filters.
    case decode(job: UInt64, Key, File, DecodedImage?, [[ImageFilter]], Abandonment)
    case deliver([Waiting], Result<Image, LupineError>)
  }

  private let maximumDownloads: Int
  private let maximumDecodings: Int
  private let order: ImageDownloader.Order
  private var jobs: [UInt64: Job] = [:]
  private var downloadQueue = JobQueue()
  private var decodingQueue = JobQueue()
  /// The jobs that new waiters of equal requests join.
  private var open: [Key: UInt64] = [:]
  /// The job of each waiter and the names of its filters.
  private var places: [UInt64: (job: UInt64, names: [String])] = [:]
  private var lastNumber: UInt64 = 0
  private var downloads = 0
  private var decodings = 0
  private(set) var statistics = ImageDownloader.Statistics()

  init(_ configuration: ImageDownloader.Configuration) {
    maximumDownloads = max(configuration.maximumDownloads, 1)
    maximumDecodings = max(configuration.maximumDecodings, 1)
    order = configuration.order
  }

  /// Adds a waiter to the job of an equal request, or to a new one.
  mutating func add(_ waiting: Waiting, for request: OutgoingRequest) -> (waiter: UInt64, steps: [Step]) {
    let key = Key(request)
    lastNumber += 1
    let waiter = lastNumber
    let job = open[key] ?? newJob(key, request)
    jobs[job]?.add(waiter, waiting)
    places[waiter] = (job, waiting.names)
    setPlace(of: job)
    return (waiter, nextSteps())
  }

  private mutating func newJob(_ key: Key, _ request: OutgoingRequest) -> UInt64 {
    lastNumber += 1
    jobs[lastNumber] = Job(key: key, request: request)
    open[key] = lastNumber
    return lastNumber
  }

  /// Puts a job that waits for its turn into its queue, or moves it there if its priority has changed.
  private mutating func setPlace(of number: UInt64) {
    guard let job = jobs[number] else { return }
    switch job.stage {
    case .queued: downloadQueue.put(number, job.priority)
    case .downloaded: decodingQueue.put(number, job.priority)
    case .downloading, .decoding: break
    }
  }

  /// Whether somebody waits for the job.
  func hasWaiters(job number: UInt64) -> Bool { jobs[number].map { !$0.waiting.isEmpty } ?? false }

  /// Removes a waiter; the last one ends the job.
  mutating func cancel(waiter: UInt64) -> [Step] {
    guard let (number, names) = places.removeValue(forKey: waiter) else { return [] }
    jobs[number]?.remove(waiter, names: names)
    guard let job = jobs[number] else { return [] }
    guard job.waiting.isEmpty else {
      setPlace(of: number)
      return []
    }
    if open[job.key] == number { open[job.key] = nil }
    switch job.stage {
    case .queued:
      jobs[number] = nil
      downloadQueue.remove(number)
      return []
    // The end of the download or of the decoding frees its place.
    case .downloading: return [.cancelDownload(job: number)]
    case .downloaded:
      jobs[number] = nil
      decodingQueue.remove(number)
      downloads -= 1
      return nextSteps()
    case .decoding(_, let abandonment):
      abandonment.abandon()
      return []
    }
  }

  /// Ends a download.
  ///
  /// - Parameter stored: returns the picture that a cache has for the file and the names of the filters.
  mutating func downloadEnded(
    job number: UInt64, _ result: Result<File, LupineError>, stored: (Key, File, [ImageFilter]) -> Image?
  ) -> [Step] {
    guard let job = jobs[number] else { return [] }
    var steps: [Step] = []
    switch result {
    case .failure(let error):
      for names in job.waiting.keys { steps += deliver(.failure(error), to: names, of: number) }
    case .success(let file):
      jobs[number]?.stage = .downloaded(file, nil)
      for (names, waiting) in job.waiting {
        guard let filters = waiting.values.first?.filters, let image = stored(job.key, file, filters) else { continue }
        steps += deliver(.success(image), to: names, of: number)
      }
    }
    if hasWaiters(job: number) {
      setPlace(of: number)
    } else {
      remove(number)
      downloads -= 1
    }
    return steps + nextSteps()
  }

  /// Delivers a result of a decoding that goes on with other lists of filters.
  mutating func filtered(job number: UInt64, _ result: Result<Image, LupineError>, names: [String]) -> [Step] {
    let steps = deliver(result, to: names, of: number)
    // Those who wait for the other lists may have left.
    if case .decoding(_, let abandonment) = jobs[number]?.stage, !hasWaiters(job: number) { abandonment.abandon() }
    return steps
  }

  /// Ends a decoding, and its lists of filters; an error of the decoding is delivered to all who wait.
  ///
  /// A waiter that came meanwhile with other filters stays, and gets its result from the same picture if that is large
  /// enough.
  mutating func decodingEnded(job number: UInt64, _ result: Result<DecodedImage, LupineError>) -> [Step] {
    decodings -= 1
    guard let job = jobs[number], case .decoding(let file, _) = job.stage else { return nextSteps() }
    var steps: [Step] = []
    switch result {
    case .failure(let error):
      for names in job.waiting.keys { steps += deliver(.failure(error), to: names, of: number) }
    case .success(let decoded): jobs[number]?.stage = .downloaded(file, decoded)
    }
    if hasWaiters(job: number) {
      // Its place among the downloads bounds the files in memory.
      downloads += 1
      setPlace(of: number)
    } else {
      remove(number)
    }
    return steps + nextSteps()
  }

  private mutating func deliver(
    _ result: Result<Image, LupineError>, to names: [String], of number: UInt64
  ) -> [Step] {
    guard let waiting = jobs[number]?.removeAll(names: names), !waiting.isEmpty else { return [] }
    for waiter in waiting.keys { places[waiter] = nil }
    return [.deliver(Array(waiting.values), result)]
  }

  /// Removes a job without waiters.
  private mutating func remove(_ number: UInt64) {
    guard let job = jobs.removeValue(forKey: number) else { return }
    if open[job.key] == number { open[job.key] = nil }
  }

  /// Counts a picture that was delivered from the cache.
  mutating func countCached() { statistics.cached += 1 }

  /// Counts a decoding of a file.
  mutating func countDecoding() { statistics.decodings += 1 }
}

extension DownloadTable {
  /// Starts what the limits allow.
  private mutating func nextSteps() -> [Step] {
    var steps: [Step] = []
    while decodings < maximumDecodings, let number = decodingQueue.next(order) {
      guard let job = jobs[number], case .downloaded(let file, let decoded) = job.stage else { break }
      let abandonment = Abandonment()
      jobs[number]?.stage = .decoding(file, abandonment)
      decodings += 1
      downloads -= 1
      let filterLists = job.waiting.values.compactMap { $0.values.first?.filters }
      steps.append(.decode(job: number, job.key, file, decoded, filterLists, abandonment))
    }
    // A file that waits for its decoding keeps its place, so that few files are in memory.
    while downloads < maximumDownloads, let number = downloadQueue.next(order) {
      guard let job = jobs[number] else { break }
      jobs[number]?.stage = .downloading
      downloads += 1
      statistics.downloads += 1
      var request = job.request
      request.options.priority = job.priority
      steps.append(.download(job: number, request))
    }
    return steps
  }
}
