// Constructors of JSON Schemas for the API reference, and common fields of providers' APIs.

/** A JSON Schema 2020-12, as in OpenAPI 3.1. Undefined keywords are left out of the JSON. */
export interface Schema {
  readonly [keyword: string]: unknown
}

type Named = Readonly<Record<string, Schema>>

/** Refers to a shared schema by name. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const typed =
  (type: string) =>
  (description?: string, more: Schema = {}): Schema => ({ type, description, ...more })

export const text = typed('string')
export const count = typed('integer')
export const quantity = typed('number')
export const flag = typed('boolean')
/** An object without a list of its fields. */
export const anyObject = typed('object')

export const words = (description: string, ...names: string[]): Schema => text(description, { enum: names })

export const constant = (value: string): Schema => ({ type: 'string', const: value })

export const list = (items: Schema, description?: string): Schema => ({ type: 'array', items, description })

/** A union of schemas. */
export const either = (description: string, ...shapes: Schema[]): Schema => ({ description, anyOf: shapes })

export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })

/** An object with these fields and possibly others. A name that ends with a question mark is optional. */
export const object = (fields: Named, description?: string): Schema => ({
  type: 'object',
  description,
  required: Object.keys(fields).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
})

export const MODEL = text('The name of a model.')
export const LIMIT = 'Maximum output tokens. Their cost is held before the call.'
export const STREAM = flag('Send the answer as events while it is written.')
export const USAGE = 'The usage that the provider counted. It decides the charge.'
export const CREATED = count('Seconds since 1970, UTC.')
export const ANSWERED_MODEL = text('The requested model.')

export const OPENAI = 'https://platform.openai.com/docs/api-reference'

/** A body of a provider's API: the essential fields, the differences here, and a link to the provider's reference. */
export const asIn = (reference: string, fields: Readonly<Record<string, Schema>>, differs = ''): Schema =>
  object(fields, `${differs} All other fields are in [the provider's reference](${reference}).`.trim())

export const stream_options = object(
  { 'include_usage?': flag('Send the usage in a last chunk of its own.') },
  'Only with `stream`.',
)
export const index = count('The index of the answer, if there are several.')
export const finish_reason = orNull(text('Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.'))
export const completion = (reference: string, kind: string, choice: Schema): Schema =>
  asIn(`${OPENAI}/${reference}`, {
    id: text('The id of the answer.'),
    object: constant(kind),
    created: CREATED,
    model: ANSWERED_MODEL,
    choices: list(choice, 'The answers.'),
    'usage?': orNull(anyObject(USAGE)),
  })
