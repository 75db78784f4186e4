package import HTTPTypes

/// Fields that many requests share, and what is known of them.
package struct SharedFields: Sendable {
  let fields: HTTPFields
  let facts: FieldFacts

  package init(_ fields: HTTPFields) {
    self.fields = fields
    facts = FieldFacts(fields)
  }
}
