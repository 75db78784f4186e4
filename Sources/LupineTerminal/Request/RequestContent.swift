#if Terminal
  import HTTPTypes
  import LupineCore
  import LupineMultipart

  /// The content of a request, and the fields that go with it.
  struct RequestContent {
    /// The way in which items become content.
    private enum Kind {
      case json, form, multipart
    }

    private(set) var body = RequestBody.none
    /// The type of the content; `nil` if the request has none.
    private(set) var type: String?
    /// The value of `Accept`.
    private(set) var accept = "*/*"

    private static let acceptsJSON = "application/json, */*;q=0.5"
    private static let jsonType = "application/json"
    private static let formType = "application/x-www-form-urlencoded; charset=utf-8"

    /// Makes the content of the items, of `--raw`, or of the standard input.
    ///
    /// - Parameter readsInput: whether the method has content, so that the standard input is read if nothing else
    ///   states the content.
    init(_ items: [RequestItem], _ options: ContentOptions, readsInput: Bool) throws {
      let data = items.filter(\.isContent)
      let wholeFile = data.first { $0.sign == .file && $0.key.isEmpty }
      if options.json { (type, accept) = (Self.jsonType, Self.acceptsJSON) }
      if options.form { type = Self.formType }
      if let raw = options.raw {
        guard data.isEmpty else { throw Self.twoSources("--raw") }
        take(.text(raw), options)
      } else if let wholeFile {
        guard data.count == 1 else { throw Self.twoSources("@\(wholeFile.value)") }
        try take(wholeFile, options)
      } else if !data.isEmpty {
        try take(data, options)
      } else if readsInput, !options.ignoreStdin, StandardInput.hasContent {
        take(try StandardInput.body(), options)
      }
    }

    private static func twoSources(_ first: String) -> CommandFailure {
      CommandFailure("The content comes from \(first) and from items. Use one of them.", .usage)
    }

    /// Takes a body as it is.
    private mutating func take(_ body: RequestBody, _ options: ContentOptions) {
      self.body = body
      guard !options.form else { return }
      (type, accept) = (Self.jsonType, Self.acceptsJSON)
    }

    /// Takes a file, or the standard input as `@-`, as the whole content.
    private mutating func take(_ item: RequestItem, _ options: ContentOptions) throws {
      guard item.value != "-" else { return take(try StandardInput.body(), options) }
      let (path, type) = item.pathAndType
      let body = try InputFiles.body(path)
      take(body, options)
      guard case .file = body.source else { return self.type = type ?? self.type }
      if !options.json { self.type = type ?? MediaTypes.system.type(forFileName: path) }
    }

    private mutating func take(_ items: [RequestItem], _ options: ContentOptions) throws {
      let hasFiles = items.contains { $0.sign == .file }
      let kind: Kind = options.multipart || hasFiles ? .multipart : options.form ? .form : .json
      switch kind {
      case .json:
        var content = JSONContent()
        for item in items { try item.add(to: &content) }
        (body, type, accept) = (.text(content.text), Self.jsonType, Self.acceptsJSON)
      case .form:
        body = .text(FormText.encode(try items.map { ($0.key, try $0.text()) }))
        type = Self.formType
      case .multipart:
        var form = MultipartFormData()
        for item in items { try item.add(to: &form) }
        (body, type) = (try form.asBody(), form.contentType)
      }
    }
  }

  extension RequestItem {
    /// Whether the item is a part of the content.
    var isContent: Bool {
      switch sign {
      case .string, .stringFile, .json, .jsonFile, .file: true
      case .query, .queryFile, .header, .headerFile, .emptyHeader: false
      }
    }

    /// The path of an uploaded file and the type after `;type=`.
    fileprivate var pathAndType: (path: String, type: String?) {
      guard let mark = value.firstRange(of: ";type=") else { return (value, nil) }
      return (String(value[..<mark.lowerBound]), String(value[mark.upperBound...]))
    }

    /// The value as a text, which may come from a file.
    func text() throws -> String {
      switch sign {
      case .stringFile, .jsonFile, .queryFile: try InputFiles.text(value)
      case .headerFile: try InputFiles.line(value)
      default: value
      }
    }

    fileprivate func add(to content: inout JSONContent) throws {
      switch sign {
      case .json, .jsonFile: try content.set(key, json: try text())
      default: try content.set(key, string: try text())
      }
    }

    fileprivate func add(to form: inout MultipartFormData) throws {
      guard sign == .file else { return form.append(try text(), name: key) }
      let (path, type) = pathAndType
      let fileName = path.split(separator: "/").last.map(String.init) ?? path
      form.append(try InputFiles.body(path), name: key, fileName: fileName, contentType: type)
    }
  }
#endif
