import FoundationEssentials

/// A moment as a signature names it, in UTC: `20150830T123600Z`, and its day, `20150830`.
struct AmazonDate: Sendable, Hashable {
  let time: String
  var day: String { String(time.prefix(8)) }

  init(_ date: Date) {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
    time = style.format(date)
  }
}
