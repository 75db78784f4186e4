import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// The exchanges of a request.
extension UploadState {
  /// Notes an exchange of the request that runs; a challenge or a redirect needs several.
  ///
  /// A request that creates an upload creates another one in each exchange.
  mutating func beginExchange() {
    sent = nil
    if case .create = action { forget() }
    if hasExchange { offeredBefore = offered }
    hasExchange = true
    offer()
  }

  /// Notes how much of its body the current exchange can have sent, so that the server cannot have more.
  ///
  /// Until then it may have sent all of it.
  ///
  /// - Parameter count: the number of bytes that the transport has taken; some may not have reached the server.
  mutating func limitOffer(toSent count: Int64) {
    guard hasExchange else { return }
    switch action {
    case .create(.whole): offered = max(offeredBefore, count)
    case .append(let part): offered = max(offeredBefore, part.offset + count)
    case .create(.empty), .discover, .query, nil: break
    }
  }

  /// Notes the bytes that the exchange may send.
  mutating func offer() {
    switch action {
    case .create(.whole): offered = length ?? .max
    case .append(let part): offered = max(offered, part.end ?? .max)
    case .create(.empty), .discover, .query, nil: break
    }
  }

  /// Notes that the body of the exchange has been sent.
  mutating func bodySent(_ count: Int64) { sent = count }

  /// Whether the last exchange has sent the whole content of the request.
  var isSentWhole: Bool {
    let expected: Int64? =
      switch action {
      case .create(.whole): length
      case .append(let part): part.count
      case .create(.empty), .discover, .query, nil: 0
      }
    guard let expected else { return sent != nil }
    return expected == 0 || sent == expected
  }

  /// The offset after the last byte that the exchange has sent.
  private var sentEnd: Int64 {
    if case .append(let part) = action { part.offset + (sent ?? 0) } else { sent ?? 0 }
  }

  /// Notes that the server has the whole upload.
  mutating func complete() { acknowledged = max(acknowledged, length ?? sentEnd) }

  /// Uses an interim response.
  ///
  /// - Returns: the error that ends the upload; it is also the `fault` then.
  mutating func receive(interim head: HTTPResponse, now: Date) -> LupineError? {
    guard fault == nil, dialect.accepts(interim: head) else { return fault }
    fault = check(interim: head, now: now)
    return fault
  }

  private mutating func check(interim head: HTTPResponse, now: Date) -> LupineError? {
    noteLimits(head, now: now)
    if case .create = action {
      if let error = noteLocation(head) { return error }
      if let refusal = length.flatMap({ limits.refusal(ofLength: $0) }) { return refusal }
    }
    guard let offset = head.uploadOffset else { return nil }
    return acknowledge(offset)
  }

  mutating func noteLimits(_ head: HTTPResponse, now: Date) {
    if let stated = UploadLimits(head, dialect) {
      limits.update(with: stated)
      if let age = stated.maximumAge { expiry = now.addingTimeInterval(Double(age)) }
    }
    if dialect == .tus, let date = head.headerFields[.uploadExpires].flatMap({ HTTPDate.parse($0, now: now) }) {
      expiry = date
    }
  }

  /// Uses the location of a response to the request that creates the upload.
  ///
  /// A location that cannot be used is ignored, and the upload cannot be resumed. Two different locations are an error.
  mutating func noteLocation(_ head: HTTPResponse) -> LupineError? {
    guard let reference = head.headerFields[.location] else { return nil }
    let url: HTTPURL
    do throws(LupineError) {
      url = try target.resolving(location: reference)
    } catch {
      locationFault = error.message
      return nil
    }
    locationFault = fault(of: url)
    guard locationFault == nil else { return nil }
    if let location, location.absoluteTarget != url.absoluteTarget {
      return .uploadEnded("The server named two different locations for one upload.")
    }
    location = url
    return nil
  }

  /// Why an upload cannot be at a URL; `nil` if it can.
  func fault(of url: HTTPURL) -> String? {
    if target.scheme == .https, url.scheme == .http {
      return "Its location has the scheme http, which would expose the upload."
    }
    if url.absoluteTarget == target.absoluteTarget { return "Its location is the URL of the request itself." }
    if url.origin == target.origin || admits(url) { return nil }
    return "Its location is at the origin \(url.origin), and the request does not name that in `secretsFor`."
  }

  /// Uses an offset of the server.
  mutating func acknowledge(_ offset: Int64) -> LupineError? {
    if let length, offset > length {
      return .uploadEnded("The server states the offset \(offset), and the upload has \(length) bytes only.")
    }
    guard offset <= offered else {
      return .uploadEnded(
        "The server states the offset \(offset), and no request has offered it more than \(offered) bytes.")
    }
    guard offset >= acknowledged else {
      return .uploadEnded(
        "The server states the offset \(offset) after it had acknowledged \(acknowledged) bytes, so it has lost some.")
    }
    if offset > acknowledged { fruitless = 0 }
    acknowledged = offset
    return nil
  }
}
