/// Media types by file name extension.
public enum MediaTypeTable {
  /// The types of common files on the web, for systems without a list of their own.
  ///
  /// The names are registered with IANA.
  public static let builtIn = list(text)

  /// Parses lines such as `image/jpeg jpeg jpg jpe`.
  public static func list(_ text: String) -> [String: String] {
    var found: [String: String] = [:]
    for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) where line.first != 0x23 {
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).map { String(decoding: $0, as: UTF8.self) }
      for name in words.dropFirst() where found[name.lowercased()] == nil { found[name.lowercased()] = words[0] }
    }
    return found
  }

  private static let text = """
    application/epub+zip epub
    application/geo+json geojson
    application/gzip gz
    application/java-archive jar
    application/json json map
    application/jsonl jsonl
    application/ld+json jsonld
    application/manifest+json webmanifest
    application/msword doc dot
    application/octet-stream bin
    application/ogg ogx
    application/pdf pdf
    application/pgp-signature sig
    application/pkcs12 p12 pfx
    application/pkcs8 p8
    application/postscript ai eps ps
    application/rtf rtf
    application/sql sql
    application/vnd.amazon.ebook azw
    application/vnd.android.package-archive apk
    application/vnd.api+json jsonapi
    application/vnd.debian.binary-package deb
    application/vnd.ms-excel xls
    application/vnd.ms-fontobject eot
    application/vnd.ms-powerpoint ppt
    application/vnd.oasis.opendocument.presentation odp
    application/vnd.oasis.opendocument.spreadsheet ods
    application/vnd.oasis.opendocument.text odt
    application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
    application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
    application/vnd.rar rar
    application/vnd.sqlite3 sqlite sqlite3
    application/vnd.visio vsd
    application/wasm wasm
    application/x-7z-compressed 7z
    application/x-bzip2 bz2
    application/x-iso9660-image iso
    application/x-ndjson ndjson
    application/x-plist plist
    application/x-sh sh
    application/x-tar tar
    application/x-xz xz
    application/xhtml+xml xhtml
    application/xml xml xsd
    application/xslt+xml xslt
    application/yaml yaml yml
    application/zip zip
    application/zstd zst
    audio/aac aac
    audio/flac flac
    audio/midi mid midi
    audio/mp4 m4a
    audio/mpeg mp3
    audio/ogg ogg oga opus
    audio/wav wav
    audio/webm weba
    font/collection ttc
    font/otf otf
    font/ttf ttf
    font/woff woff
    font/woff2 woff2
    image/apng apng
    image/avif avif
    image/bmp bmp
    image/gif gif
    image/heic heic
    image/heif heif
    image/jpeg jpg jpeg jpe
    image/jxl jxl
    image/png png
    image/svg+xml svg
    image/tiff tif tiff
    image/vnd.adobe.photoshop psd
    image/vnd.microsoft.icon ico
    image/webp webp
    message/rfc822 eml
    model/gltf+json gltf
    model/gltf-binary glb
    model/stl stl
    text/calendar ics
    text/css css
    text/csv csv
    text/html html htm
    text/javascript js mjs
    text/markdown md markdown
    text/plain txt text log conf
    text/tab-separated-values tsv
    text/vcard vcf
    video/3gpp 3gp
    video/mp2t ts
    video/mp4 mp4 m4v
    video/mpeg mpeg mpg
    video/ogg ogv
    video/quicktime mov qt
    video/webm webm
    video/x-matroska mkv
    video/x-msvideo avi
    """
}
