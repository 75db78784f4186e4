import LupineCore
import LupineFoundation
import Synchronization
import Testing

@testable import LupineImage

/// The decisions of the table that depend on what happens while a file is decoded.
@Suite struct DownloadTableTests {
  private let request: OutgoingRequest
  private let file = DownloadTable.File(data: Data(), contentType: nil, validator: nil, isStorable: true)
  private let image: Image

  init() throws {
    request = OutgoingRequest(url: try HTTPURL("https://example.com/a"))
    image = try Pictures.gradient(4, 4)
  }

  private func waiting(_ filters: [ImageFilter] = []) -> DownloadTable.Waiting {
    DownloadTable.Waiting(filters: filters, priority: .normal) { _ in }
  }

  /// The steps as text: `download`, `cancel`, `decode` with the filters, `deliver` with the number of waiters.
  private func text(_ steps: [DownloadTable.Step]) -> [String] {
    steps.map { step in
      switch step {
      case .download: "download"
      case .cancelDownload: "cancel"
      case .decode(_, _, _, let decoded, let filterLists, _):
        "decode \(filterLists.map { "\($0)" }.sorted().joined(separator: " "))\(decoded == nil ? "" : " again")"
      case .deliver(let waiting, _): "deliver \(waiting.count)"
      }
    }
  }

  private func job(_ steps: [DownloadTable.Step]) -> UInt64 {
    for step in steps {
      if case .download(let job, _) = step { return job }
    }
    return 0
  }

  @Test func `a waiter that comes while the file is decoded gets its filters from the same picture`() {
    var table = DownloadTable(ImageDownloader.Configuration())
    let (_, first) = table.add(waiting(), for: request)
    #expect(text(first) == ["download"])
    let job = job(first)
    #expect(text(table.downloadEnded(job: job, .success(file)) { _, _, _ in nil }) == ["decode []"])
    #expect(text(table.add(waiting(), for: request).steps).isEmpty)
    #expect(text(table.add(waiting([.circle]), for: request).steps).isEmpty)
    let decoded = DecodedImage(image: image, fullSize: image.size)
    #expect(text(table.filtered(job: job, .success(image), names: [])) == ["deliver 2"])
    #expect(text(table.decodingEnded(job: job, .success(decoded))) == ["decode [circle] again"])
    #expect(text(table.filtered(job: job, .success(image), names: ["circle"])) == ["deliver 1"])
    #expect(text(table.decodingEnded(job: job, .success(decoded))).isEmpty)
    // The job is over.
    #expect(text(table.add(waiting(), for: request).steps) == ["download"])
  }

  @Test func `the error of a decoding is that of a waiter that came meanwhile with other filters`() {
    var table = DownloadTable(ImageDownloader.Configuration())
    let first = table.add(waiting(), for: request).steps
    let job = job(first)
    #expect(text(table.downloadEnded(job: job, .success(file)) { _, _, _ in nil }) == ["decode []"])
    #expect(text(table.add(waiting([.circle]), for: request).steps).isEmpty)
    let steps = table.decodingEnded(job: job, .failure(LupineError(.invalidImage, "damaged")))
    #expect(text(steps) == ["deliver 1", "deliver 1"])
    #expect(text(table.add(waiting(), for: request).steps) == ["download"])
  }

  @Test func `a list of filters is delivered before the others, which end when nobody waits for them`() {
    var table = DownloadTable(ImageDownloader.Configuration())
    let first = table.add(waiting(), for: request).steps
    let job = job(first)
    let (waiter, _) = table.add(waiting([.circle]), for: request)
    let steps = table.downloadEnded(job: job, .success(file)) { _, _, _ in nil }
    guard case .decode(_, _, _, _, _, let abandonment) = steps.first else {
      Issue.record("no decoding")
      return
    }
    #expect(text(table.filtered(job: job, .success(image), names: [])) == ["deliver 1"])
    #expect(!abandonment.isAbandoned)
    #expect(text(table.cancel(waiter: waiter)).isEmpty)
    #expect(abandonment.isAbandoned)
    #expect(text(table.filtered(job: job, .success(image), names: ["circle"])).isEmpty)
  }

  @Test func `a request has the highest priority of those who wait when it begins`() throws {
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 1
    var table = DownloadTable(configuration)
    let other = OutgoingRequest(url: try HTTPURL("https://example.com/b"))
    let first = table.add(waiting(), for: other).steps
    var waiters: [UInt64] = []
    for priority in [OutgoingRequest.Priority.low, .high, .normal] {
      let waiting = DownloadTable.Waiting(filters: [], priority: priority) { _ in }
      waiters.append(table.add(waiting, for: request).waiter)
    }
    for (end, expected) in [(false, OutgoingRequest.Priority.high), (true, .normal)] {
      var table = table
      if end { _ = table.cancel(waiter: waiters[1]) }
      let steps = table.downloadEnded(job: job(first), .failure(LupineError(.other, "no"))) { _, _, _ in nil }
      guard case .download(_, let request) = steps.last else {
        Issue.record("no download")
        return
      }
      #expect(request.options.priority == expected)
    }
  }

  @Test func `a decoding that nobody waits for is abandoned, and an equal request begins anew`() {
    var table = DownloadTable(ImageDownloader.Configuration())
    let (waiter, first) = table.add(waiting(), for: request)
    let job = job(first)
    let steps = table.downloadEnded(job: job, .success(file)) { _, _, _ in nil }
    guard case .decode(_, _, _, _, _, let abandonment) = steps.first else {
      Issue.record("no decoding")
      return
    }
    #expect(!abandonment.isAbandoned)
    #expect(text(table.cancel(waiter: waiter)).isEmpty)
    #expect(abandonment.isAbandoned)
    #expect(text(table.add(waiting(), for: request).steps) == ["download"])
    #expect(text(table.decodingEnded(job: job, .failure(LupineError(.cancelled, "nobody")))).isEmpty)
    #expect(text(table.cancel(waiter: waiter)).isEmpty)
  }

  @Test func `files that wait for their decoding count as downloads`() throws {
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 2
    configuration.maximumDecodings = 1
    var table = DownloadTable(configuration)
    var started: [DownloadTable.Step] = []
    for name in 0..<5 {
      let request = OutgoingRequest(url: try HTTPURL("https://example.com/\(name)"))
      started += table.add(waiting(), for: request).steps
    }
    #expect(text(started) == ["download", "download"])
    let first = job(started)
    // The decoding of the first file makes room for a download, the second file keeps its place.
    #expect(text(table.downloadEnded(job: first, .success(file)) { _, _, _ in nil }) == ["decode []", "download"])
    let second = job(Array(started.dropFirst()))
    #expect(text(table.downloadEnded(job: second, .success(file)) { _, _, _ in nil }).isEmpty)
    let decoded = DecodedImage(image: image, fullSize: image.size)
    #expect(text(table.filtered(job: first, .success(image), names: [])) == ["deliver 1"])
    #expect(text(table.decodingEnded(job: first, .success(decoded))) == ["decode []", "download"])
  }

  @Test(arguments: [1, 2, 5]) func `as many decodings begin as the limit allows`(limit: Int) throws {
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 5
    configuration.maximumDecodings = limit
    var table = DownloadTable(configuration)
    var decodings: [DownloadTable.Step] = []
    for name in 0..<5 {
      let request = OutgoingRequest(url: try HTTPURL("https://example.com/\(name)"))
      let started = table.add(waiting(), for: request).steps
      decodings += table.downloadEnded(job: job(started), .success(file)) { _, _, _ in nil }
    }
    #expect(text(decodings) == Array(repeating: "decode []", count: limit))
  }

  @Test(arguments: [
    (ImageDownloader.Order.firstInFirstOut, ["a", "e", "f", "b", "d", "c"]),
    (.lastInFirstOut, ["a", "f", "e", "d", "b", "c"]),
  ])
  func `files are decoded by priority, and then by the order`(order: ImageDownloader.Order, expected: [String]) throws {
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 6
    configuration.maximumDecodings = 1
    configuration.order = order
    var table = DownloadTable(configuration)
    var steps: [DownloadTable.Step] = []
    let priorities: [OutgoingRequest.Priority] = [.low, .normal, .low, .normal, .high, .high]
    for (name, priority) in zip(["a", "b", "c", "d", "e", "f"], priorities) {
      let request = OutgoingRequest(url: try HTTPURL("https://example.com/\(name)"))
      let waiting = DownloadTable.Waiting(filters: [], priority: priority) { _ in }
      let started = table.add(waiting, for: request).steps
      steps += table.downloadEnded(job: job(started), .success(file)) { _, _, _ in nil }
    }
    var decoded: [String] = []
    let picture = DecodedImage(image: image, fullSize: image.size)
    while let step = steps.popLast() {
      guard case .decode(let job, let key, _, _, _, _) = step else { continue }
      decoded.append(String(key.url.path.dropFirst()))
      _ = table.filtered(job: job, .success(image), names: [])
      steps += table.decodingEnded(job: job, .success(picture))
    }
    #expect(decoded == expected)
  }

  @Test func `a smaller picture serves the filters that need no more`() throws {
    let decoded = DecodedImage(image: image, fullSize: ImageSize(width: 32, height: 32))
    #expect(decoded.suffices(for: [.scaled(width: 4, height: 4), .circle]))
    #expect(decoded.suffices(for: [.aspectFit(width: 3, height: 9)]))
    #expect(!decoded.suffices(for: [.scaled(width: 5, height: 4)]))
    #expect(!decoded.suffices(for: []))
    #expect(!decoded.suffices(for: [.circle]))
    #expect(!decoded.suffices(for: [.aspectFill(width: 3, height: 5)]))
  }
}
