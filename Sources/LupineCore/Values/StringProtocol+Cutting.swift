extension StringProtocol {
  /// As many whole characters from the beginning as have no more than so many bytes in UTF-8.
  func cut(toBytes limit: Int) -> String {
    var room = limit
    return String(
      prefix { character in
        room -= character.utf8.count
        return room >= 0
      })
  }
}
