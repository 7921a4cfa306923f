// Owns reading a query string, strictly, against a schema: what is unknown, doubled or malformed is refused by its name.
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { invalidRequest } from '../domain/errors.ts'

/**
 * Reads the parameters that a schema knows; whole numbers become numbers, all else stays text. Each property's `must`
 * says in a refusal what is expected of it.
 *
 * @throws GatewayError invalid_request naming every parameter at fault, the first one as `param`
 */
export function readQuery<S extends TObject>(schema: S, parameters: URLSearchParams): Static<S> {
  const values: Record<string, unknown> = {}
  const faults: [name: string, problem: string][] = []
  for (const name of new Set(parameters.keys())) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    const texts = parameters.getAll(name)
    const [text = ''] = texts
    if (!property)
      faults.push([name.slice(0, MAX_NAME_CHARS), `does not exist here. There are ${namesOf(schema)}.`])
    else if (texts.length > 1) faults.push([name, 'is given more than once.'])
    else values[name] = typed(property, text)
  }
  const value = Value.Default(schema, values)
  for (const { path } of Value.Errors(schema, value)) {
    const name = path.slice(1)
    if (!faults.some(([known]) => known === name)) faults.push([name, problemOf(schema.properties[name])])
  }
  const [first] = faults
  if (!first) return value as Static<S>
  throw invalidRequest(faults.map(([name, problem]) => `${name}: ${problem}`).join(' '), { param: first[0] })
}

/** Of a name that a caller made up, this many characters are repeated to him. */
const MAX_NAME_CHARS = 64
const WHOLE_NUMBER = /^\d{1,15}$/

const typed = (property: TSchema, text: string): unknown =>
  property.type === 'integer' && WHOLE_NUMBER.test(text) ? Number(text) : text

const namesOf = (schema: TObject): string => Object.keys(schema.properties).join(', ') || 'none'

function problemOf(property: TSchema | undefined): string {
  return `must be ${typeof property?.must === 'string' ? property.must : 'something else'}.`
}
