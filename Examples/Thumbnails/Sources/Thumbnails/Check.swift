import Lupine
import LupineImage

/// The requests of users, and what they must cost: each innocent picture is fetched and decoded once, and a hostile one
/// is refused while the others are served.
struct Check: Sendable {
  let user: Session
  let gallery: Gallery
  /// The address of the service.
  let service: String
  /// The address of the gallery's pictures.
  let pictures: String

  func run(_ downloader: ImageDownloader) async throws {
    // One hostile picture comes after each 20 innocent ones. They have different addresses, so that none waits for another.
    let hostile = Gallery.hostileFiles + Gallery.hostileHeads
    let requests = (0..<1_050).map { index in
      let (round, place) = (index / 21, index % 21)
      return place < 20 ? "\(place)" : "\(hostile[round % hostile.count])?\(round)"
    }
    async let stalled = status(of: "stalled")
    // From here on a hostile picture is under way, until all others are answered.
    for await _ in gallery.stalls { break }
    let statuses: [String: [Int?]] = await withTaskGroup(of: (String, Int?).self) { group in
      for request in requests { group.addTask { (request, await status(of: request)) } }
      return await group.reduce(into: [:]) { $0[$1.0, default: []].append($1.1) }
    }
    for (request, statuses) in statuses {
      let isInnocent = Int(request) != nil
      try expect(statuses, isInnocent ? Array(repeating: 200, count: 50) : [422], "the answers for \(request)")
      if isInnocent { try expect(gallery.requests[request], 1, "the requests for \(request)") }
    }
    let decoded = statuses.keys.filter { request in Gallery.hostileFiles.contains { request.hasPrefix("\($0)?") } }
    try expect(downloader.statistics.decodings, Gallery.pictures + decoded.count, "the decodings")
    gallery.endStall()
    try expect(await stalled, 422, "the answer for the stalled picture")
    try await checkSizes()
  }

  private func status(of picture: String) async -> Int? {
    let response = await user.request(service, parameters: ["url": .string("\(pictures)/\(picture)")])
      .serializingData().response
    return response.response?.status.code
  }

  private func checkSizes() async throws {
    // This picture would be 3,276,800 pixels wide if it was scaled before it is cropped.
    let square = try await image("line", ["shape": "square"])
    try expect(square.size, ImageSize(width: 200, height: 200), "the size of the square")
    let small = try await image("3", ["size": 100])
    try expect(small.size, ImageSize(width: 100, height: 75), "the size of a thumbnail")
  }

  private func image(_ picture: String, _ parameters: Parameters) async throws -> Image {
    var parameters = parameters
    parameters["url"] = "\(pictures)/\(picture)"
    return try await user.request(service, parameters: parameters).serializingImage().value
  }

  private func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
    if value != expected { throw Thumbnails.Surprise(what: "\(what): \(value) instead of \(expected)") }
  }
}
