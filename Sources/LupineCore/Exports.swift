// The signatures of this module have methods, fields and statuses of HTTPTypes.
@_exported public import HTTPTypes
