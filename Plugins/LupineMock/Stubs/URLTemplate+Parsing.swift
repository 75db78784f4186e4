import LupineCore
import LupineDoubles

extension URLTemplate {
  /// Parses a template.
  ///
  /// Variables are replaced by words that are valid everywhere in a URL, so that the rest is validated and normalized
  /// like the URL of a request.
  init(_ text: String) throws(TemplateFault) {
    let (plain, variables) = try Self.replaceVariables(in: text)
    let isRelative = plain.hasPrefix("/")
    guard isRelative || plain.contains("://") else {
      throw TemplateFault(
        message: "write an absolute URL, or a path that begins with / and fits every origin, as in \"/\(text)\".")
    }
    let url: HTTPURL
    do throws(LupineError) { url = try HTTPURL(isRelative ? "http://template.invalid" + plain : plain) } catch {
      throw TemplateFault(message: error.message)
    }
    guard !url.authority.contains(Self.mark) else {
      throw TemplateFault(message: "a variable is allowed in the path or in a query value, not in the host or port.")
    }
    guard url.fragment == nil else {
      throw TemplateFault(message: "a fragment (#…) is never sent to a server, so it matches no request.")
    }
    self.text = text
    origin = isRelative ? nil : url.origin
    segments = try Self.segments(SplitURL.segments(of: url.path), variables)
    query = try ParameterItem.items(of: url).map { item throws(TemplateFault) in try Self.query(item, variables) }
    exactKey =
      isRelative || !Set(variables.keys).isDisjoint(with: Self.marks(in: url.path)) ? nil : Self.plainKey(of: url)
  }

  private static let mark = "lupinevariable"

  private static func marks(in path: String) -> [String] {
    SplitURL.segments(of: path).flatMap { segment in find(in: segment).map { [$0.mark] } ?? [] }
  }

  private static func replaceVariables(in text: String) throws(TemplateFault) -> (String, [String: String]) {
    var plain = ""
    var variables: [String: String] = [:]
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{" else { throw TemplateFault(message: "a } has no { before it.") }
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw TemplateFault(message: "a { has no } after it.")
      }
      let name = String(rest[rest.index(after: open)..<close])
      try check(name, against: variables)
      let mark = "\(mark)\(variables.count)end"
      variables[mark] = name
      plain += rest[..<open] + mark
      rest = rest[rest.index(after: close)...]
    }
    return (plain + rest, variables)
  }

  private static func check(_ name: String, against known: [String: String]) throws(TemplateFault) {
    let bare = name.hasSuffix("...") ? String(name.dropLast(3)) : name
    guard !bare.isEmpty, bare.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }) else {
      throw TemplateFault(
        message: "{\(name)} is not a variable; a name has letters, digits, _ and -, as in {id}.")
    }
    guard !known.values.contains(where: { $0 == bare || $0 == bare + "..." }) else {
      throw TemplateFault(message: "the variable {\(bare)} occurs twice.")
    }
  }

  private static func find(in part: String) -> (prefix: String, mark: String, suffix: String)? {
    guard let start = part.firstRange(of: mark), let end = part[start.upperBound...].firstRange(of: "end") else {
      return nil
    }
    return (
      String(part[..<start.lowerBound]), String(part[start.lowerBound..<end.upperBound]),
      String(part[end.upperBound...])
    )
  }

  private static func segments(
    _ parts: [String], _ variables: [String: String]
  ) throws(TemplateFault) -> [Segment] {
    var segments: [Segment] = []
    for (index, part) in parts.enumerated() {
      guard let (prefix, mark, suffix) = find(in: part), let name = variables[mark] else {
        segments.append(.literal(part))
        continue
      }
      if find(in: suffix) != nil {
        throw TemplateFault(message: "a segment of the path can hold one variable, not two.")
      }
      guard name.hasSuffix("...") else {
        segments.append(.variable(name, prefix: prefix, suffix: suffix))
        continue
      }
      guard index == parts.count - 1, prefix.isEmpty, suffix.isEmpty else {
        throw TemplateFault(message: "{\(name)} stands for the rest of the path, so it must be its last segment.")
      }
      segments.append(.rest(String(name.dropLast(3))))
    }
    return segments
  }

  private static func query(_ item: ParameterItem, _ variables: [String: String]) throws(TemplateFault) -> Query {
    guard find(in: item.name) == nil else {
      throw TemplateFault(message: "a variable can be the value of a query item, not its name.")
    }
    guard let value = item.value, let found = find(in: value) else { return Query(item: item, isAnyValue: false) }
    guard found.prefix.isEmpty, found.suffix.isEmpty, let name = variables[found.mark], !name.hasSuffix("...") else {
      throw TemplateFault(message: "a variable in the query stands for a whole value, as in ?page={page}.")
    }
    return Query(item: ParameterItem(name: item.name, value: "{\(name)}"), isAnyValue: true)
  }
}

/// Why a text is no valid URL template.
struct TemplateFault: Error {
  let message: String
}
