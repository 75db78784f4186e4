import FoundationEssentials

/// A date in the format of a signature, in UTC: the time `20150830T123600Z` and the day `20150830`.
struct AmazonDate: Sendable, Hashable {
  let time: String
  var day: String { String(time.prefix(8)) }

  init(_ date: Date) {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
    time = style.format(date)
  }
}
