// The sections of the catalogue that have a field of a name, for one that was written somewhere else.
import type { TSchema } from '@sinclair/typebox'
import { sectionSchemas } from './sections.ts'

/** The name that stands for one that the operator chooses, such as an account's. */
const ANY_NAME = 'NAME'

/** The sections with a field of this name, as they are written: `[limits.account]`. */
export const sectionsWith = (field: string): string[] =>
  Object.entries(sectionSchemas()).flatMap(([name, schema]) => tablesWith(field, schema, name))

function tablesWith(field: string, schema: TSchema, path: string): string[] {
  const properties: Readonly<Record<string, TSchema>> = schema.properties ?? {}
  const own = Object.hasOwn(properties, field) ? [`[${path}]`] : []
  const below = Object.entries(properties).flatMap(([name, part]) =>
    tablesWith(field, part, `${path}.${name}`),
  )
  const named: TSchema[] = Object.values(schema.patternProperties ?? {})
  return [...own, ...below, ...named.flatMap((part) => tablesWith(field, part, `${path}.${ANY_NAME}`))]
}
