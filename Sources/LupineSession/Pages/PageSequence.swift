import HTTPTypes
import LupineCoding
public import LupineCore

/// The values of the pages of a resource, each requested when it is awaited.
///
/// The request of a later page has the URL of the link and the fields of the first request, except `Range` and the
/// conditional fields (RFC 9110 section 13.1), which belong to the first page. The session adds its fields, cookies and
/// credentials to each page, so a link is followed within the origin of the page only. An adapter may map the origin:
/// the origin of the request before the adapters and the origin that it was sent to both count as the page's.
///
/// The sequence ends with kind `paginationFailed` at a link to another origin, a link on a page that a redirect to
/// another origin led to, a link to a URL that was requested before, and a link whose URL is not valid. Each iteration
/// starts with the first page.
public struct PageSequence<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// The value of one page.
  public typealias Element = Value

  let session: Session
  let first: Result<OutgoingRequest, LupineError>
  let limit: Int
  /// Makes the task of a page from its request.
  let makeTask: @Sendable (DataRequest) -> DataTask<Value>

  init<Failure: Error & Decodable & Sendable>(
    session: Session, first: Result<OutgoingRequest, LupineError>, error: Failure.Type, decoder: (any DataDecoder)?,
    limit: Int, configure: @escaping @Sendable (DataRequest) -> DataRequest
  ) {
    self.session = session
    self.first = first
    self.limit = limit
    makeTask = { request in
      let page = configure(request.validate())
      return error == Never.self
        ? page.serializingDecodable(Value.self, decoder: decoder)
        : page.serializingDecodable(Value.self, error: error, decoder: decoder)
    }
  }

  /// The pages with the head of their responses and their metadata.
  ///
  /// Each response has a value: a page that fails is an error of the sequence.
  public var responses: Responses { Responses(pages: self) }

  /// Returns the iterator; the first page is requested when the first value is awaited.
  public func makeAsyncIterator() -> Iterator { Iterator(PageReader(self)) }

  /// Requests the pages in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var reader: PageReader<Value>

    init(_ reader: PageReader<Value>) { self.reader = reader }

    /// The value of the next page; `nil` at the end.
    ///
    /// - Throws: `LupineError` if the page fails, its link cannot be followed or there are too many pages; the sequence
    ///   ends with it.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> Value? {
      try await reader.next(isolation: isolation)?.value
    }
  }
}

extension PageSequence {
  /// The responses of the pages of a resource, each requested when it is awaited.
  public struct Responses: AsyncSequence, Sendable {
    /// The response of one page.
    public typealias Element = DataResponse<Value>

    let pages: PageSequence

    /// Returns the iterator; the first page is requested when the first response is awaited.
    public func makeAsyncIterator() -> Iterator { Iterator(PageReader(pages)) }

    /// Requests the pages in order.
    public struct Iterator: AsyncIteratorProtocol {
      private var reader: PageReader<Value>

      init(_ reader: PageReader<Value>) { self.reader = reader }

      /// The response of the next page; `nil` at the end.
      ///
      /// - Throws: the same errors as the sequence of the values.
      public mutating func next(
        isolation: isolated (any Actor)? = #isolation
      ) async throws(LupineError) -> DataResponse<Value>? {
        try await reader.next(isolation: isolation)?.response
      }
    }
  }
}
