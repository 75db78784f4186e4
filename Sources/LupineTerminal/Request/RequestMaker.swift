#if Terminal
  import HTTPTypes
  import LupineCore

  /// The request that a command line describes.
  struct RequestMaker {
    /// The request, with all fields but those of its transport.
    private(set) var request: OutgoingRequest
    /// The fields that the session adds by itself and that the request must not have.
    private(set) var removedFields: Set<HTTPField.Name> = [.acceptLanguage]
    /// The names of the secret fields whose values the command line shows.
    private(set) var exposedFields: [String] = []

    /// - Throws: `CommandFailure` or `LupineError` if an item, a file or the URL cannot be used.
    init(_ line: RequestLine, _ options: ContentOptions) throws {
      let mayHaveContent =
        line.method.map { ![.get, .head, .trace, .options, .delete, .connect].contains($0) } ?? false
      let content = try RequestContent(line.items, options, readsInput: mayHaveContent)
      guard line.method != .head || content.body.isNone else {
        throw CommandFailure(
          "A HEAD request has no content. Use another method, or write parameters of the query as name==text.", .usage)
      }
      let url = try Self.url(line)
      request = try OutgoingRequest(url, method: line.method ?? (content.body.isNone ? .get : .post))
      request.body = content.body
      request.options.allowsBodyWithGET = true
      request.headers[.userAgent] = "lupine/0.1"
      request.headers[.accept] = content.accept
      if let type = content.type { request.headers[.contentType] = type }
      for item in line.items where !item.isContent { try set(item) }
    }

    /// Adds the parameters of the query to the URL.
    private static func url(_ line: RequestLine) throws -> String {
      let pairs = try line.items.filter { $0.sign == .query || $0.sign == .queryFile }
        .map { (name: $0.key, value: try $0.text()) }
      guard !pairs.isEmpty else { return line.url }
      let withoutFragment = line.url.prefix { $0 != "#" }
      let separator = withoutFragment.contains("?") ? (withoutFragment.hasSuffix("?") ? "" : "&") : "?"
      return withoutFragment + separator + FormText.encode(pairs)
    }

    /// Sets, adds or removes a field.
    ///
    /// The first item of a name replaces the program's own value; further ones are sent as well.
    private mutating func set(_ item: RequestItem) throws {
      guard item.sign != .query, item.sign != .queryFile else { return }
      guard let name = HTTPField.Name(item.key) else {
        throw CommandFailure(
          "\(item.key.debugDescription) is no name of a header field. Write one without blanks, such as X-Trace:1.",
          .usage)
      }
      let value = try item.text()
      let isFirst = setFields.insert(name).inserted
      if item.sign == .header, value.isEmpty { return try remove(name) }
      removedFields.remove(name)
      if isFirst { request.headers[name] = nil }
      request.headers.append(HTTPField(name: name, value: try Self.checked(value, item.key)))
      if item.sign == .header, SecretFields.standard.contains(name) { exposedFields.append(item.key) }
    }

    private var setFields: Set<HTTPField.Name> = []

    /// Replaces a field of the items by a credential of the options.
    mutating func authenticate(_ headers: RequestHeaders) throws {
      for field in try headers.fields { request.headers[field.name] = field.value }
    }

    private mutating func remove(_ name: HTTPField.Name) throws {
      guard !["host", "content-length", "transfer-encoding"].contains(name.canonicalName) else {
        throw CommandFailure("The field \(name) cannot be left out, because a request needs it.", .usage)
      }
      request.headers[name] = nil
      removedFields.insert(name)
    }

    /// Returns the value without white space at its ends.
    private static func checked(_ value: String, _ name: String) throws -> String {
      let text = value.split(separator: " ", omittingEmptySubsequences: false).drop(while: \.isEmpty)
        .reversed().drop(while: \.isEmpty).reversed().joined(separator: " ")
      guard !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
        throw CommandFailure(
          "The value of the field \(name) has a control character, which HTTP does not allow. Remove it.", .usage)
      }
      return text
    }
  }
#endif
