import LupineCore

extension URLTemplate {
  /// Returns the differences that keep a URL from matching.
  func differences(from url: SplitURL) -> [Difference] {
    originDifferences(url) + pathDifferences(url) + queryDifferences(url)
  }

  private func originDifferences(_ url: SplitURL) -> [Difference] {
    guard let origin, origin != url.origin else { return [] }
    var differences: [Difference] = []
    if origin.host != url.origin.host {
      differences.append(Difference(text: "host: expected \(origin.host), got \(url.origin.host)", weight: 6))
    }
    if origin.scheme != url.origin.scheme {
      differences.append(Difference(text: "scheme: expected \(origin.scheme), got \(url.origin.scheme)", weight: 2))
    } else if origin.port != url.origin.port {
      differences.append(Difference(text: "port: expected \(origin.port), got \(url.origin.port)", weight: 2))
    }
    return differences
  }

  private func pathDifferences(_ url: SplitURL) -> [Difference] {
    if match(url.segments) != nil { return [] }
    let expected = "/" + segments.map(\.text).joined(separator: "/")
    let got = "/" + url.segments.joined(separator: "/")
    let compared = zip(segments, url.segments)
    let wrong = compared.filter { !$0.matches($1) }.count
    let surplus = abs(segments.count - url.segments.count)
    var text = "path: expected \(expected), got \(got)"
    if surplus == 0, wrong == 1, let index = compared.map({ $0.matches($1) }).firstIndex(of: false) {
      text += " (segment \(index + 1))"
    }
    return [Difference(text: text, weight: 3 * wrong + 2 * surplus)]
  }

  private func queryDifferences(_ url: SplitURL) -> [Difference] {
    let items = QueryItem.items(of: url.url)
    return missingQuery(in: items).map { missing in
      let values = items.filter { $0.name == missing.item.name }.map(\.shownValue)
      let got = values.isEmpty ? "no such item" : values.joined(separator: ", ")
      let expected = missing.isAnyValue ? missing.item.value ?? "any value" : missing.item.shownValue
      return Difference(text: "query \(missing.item.name): expected \(expected), got \(got)", weight: 2)
    }
  }
}
