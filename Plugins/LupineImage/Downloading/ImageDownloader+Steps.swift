import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSession
import LupineSupport
import Synchronization

/// Performs the steps of the table, outside its lock.
extension ImageDownloader {
  func perform(_ steps: [DownloadTable.Step]) {
    var steps = steps[...]
    while let step = steps.popFirst() {
      switch step {
      case .download(let job, let request): steps += download(job, request)
      case .cancelDownload(let job): state.withLock { $0.requests[job] }?.cancel()
      case .decode(let job, let key, let file, let decoded, let filterLists, let abandonment):
        runDecoding { [self] in decode(job, key, file, decoded, filterLists, abandonment) }
      case .deliver(let waiting, let result):
        for waiting in waiting { waiting.deliver(result) }
      }
    }
  }

  /// Makes the request in a task of the session, to which the deadlines of a waiter do not apply: others may share it.
  ///
  /// Returns the steps after a failure to start.
  private func download(_ job: UInt64, _ request: OutgoingRequest) -> [DownloadTable.Step] {
    let isStarted = session.startBackgroundTask { [self] in
      let fileRequest = ImageFileRequest(request, limits: configuration.limits, in: session)
      let isWanted = state.withLock { state in
        state.requests[job] = fileRequest
        return state.table.hasWaiters(job: job)
      }
      // The last waiter may have left before the request was known.
      if !isWanted { fileRequest.cancel() }
      let outcome = await fileRequest.execution.outcome()
      state.withLock { $0.requests[job] = nil }
      let result = Self.file(of: outcome)
      if case .success(let file) = result { remember(file, of: request) }
      perform(steps(after: result, of: job))
    }
    return isStarted ? [] : steps(after: .failure(LupineError(.sessionShutDown, "The session was shut down.")), of: job)
  }

  private func steps(
    after result: Result<DownloadTable.File, LupineError>, of job: UInt64
  ) -> [DownloadTable.Step] {
    state.withLock { state in state.table.downloadEnded(job: job, result) { stored($0, $1, $2) } }
  }

  private static func file(of outcome: RequestOutcome) -> Result<DownloadTable.File, LupineError> {
    if let error = outcome.error { return .failure(error) }
    guard let response = outcome.response, response.hasData else {
      return .failure(LupineError(.emptyResponse, "The response has no body to decode as a picture."))
    }
    let fields = response.head.headerFields
    let directives = cacheDirectives(fields)
    let validator = fields[.eTag] ?? fields[.lastModified]
    return .success(
      DownloadTable.File(
        data: response.data, contentType: fields[.contentType], validator: validator,
        isStorable: validator != nil && !directives.contains { $0.isUnclosed || $0.name == "no-store" },
        isReusable: !directives.contains {
          $0.name == "no-cache" || $0.name == "max-age" && $0.argument == .text("0")
        }))
  }

  private static func cacheDirectives(_ fields: HTTPFields) -> [CacheDirective] {
    var directives: [CacheDirective] = []
    for value in fields[values: .cacheControl] {
      var cursor = FieldCursor(value)
      while let directive = cursor.cacheDirective() { directives.append(directive) }
    }
    return directives
  }

  /// Keeps the validator of a file, so that its pictures are used for a while without a request.
  private func remember(_ file: DownloadTable.File, of request: OutgoingRequest) {
    guard cache != nil else { return }
    let key = DownloadTable.Key(request)
    let end = clock.now() + configuration.reuseInterval.bounded
    state.withLock { $0.known[key] = file.isStorable && file.isReusable ? (file.validator, end) : nil }
  }

  /// The cached picture of the same file; a file without a validator is always decoded.
  private func stored(
    _ key: DownloadTable.Key, _ file: DownloadTable.File, _ filters: [ImageFilter]
  ) -> Image? {
    guard let cache, file.isStorable else { return nil }
    return cache.image(for: key.cacheKey(file.validator, filters))
  }

  /// Decodes a file, and applies each list of filters; runs on a decoding thread.
  ///
  /// Each result is delivered before the next list is applied, so that the results are not in memory together.
  private func decode(
    _ job: UInt64, _ key: DownloadTable.Key, _ file: DownloadTable.File, _ earlier: DecodedImage?,
    _ filterLists: [[ImageFilter]], _ abandonment: Abandonment
  ) {
    let decoded = Result { () throws(LupineError) -> DecodedImage in
      if let earlier, filterLists.allSatisfy(earlier.suffices) { return earlier }
      state.withLock { $0.table.countDecoding() }
      return try decode(file, for: filterLists, abandonment)
    }.mapError { $0.about(RequestSummary(method: .get, url: key.url)) }
    if case .success(let source) = decoded {
      for filters in filterLists {
        if abandonment.isAbandoned { break }
        let result = Result { () throws(LupineError) in try source.image.applying(filters) }
        if let cache, file.isStorable, case .success(let image) = result {
          cache.insert(image, for: key.cacheKey(file.validator, filters))
        }
        perform(state.withLock { $0.table.filtered(job: job, result, names: filters.map(\.name)) })
      }
    }
    perform(state.withLock { $0.table.decodingEnded(job: job, decoded) })
  }

  private func decode(
    _ file: DownloadTable.File, for filterLists: [[ImageFilter]], _ abandonment: Abandonment
  ) throws(LupineError) -> DecodedImage {
    let limits = configuration.limits
    let watch = DecodingWatch(limits: limits, clock: clock) { abandonment.isAbandoned }
    let sizes = filterLists.compactMap { $0.first?.neededSize }
    // One list that needs every pixel needs the whole picture.
    let needed: ((ImageSize) -> ImageSize)? =
      sizes.count < filterLists.count
      ? nil
      : { size in sizes.reduce(ImageSize(width: 1, height: 1)) { $0.union($1(size)) } }
    return try ImageDecoder(limits: limits, watch: watch)
      .decode(file.data, contentType: file.contentType, covering: needed)
  }
}
