// The catalogue's interfaces against the schema of its file: the same fields of the same types. Checked by tsc.
import { expectTypeOf, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import type { ModelText } from '../../src/catalogue/schema.ts'
import type { LimitsSchema, ServerSchema } from '../../src/catalogue/section-schemas.ts'
import type { Limit, Limits } from '../../src/domain/call-limits.ts'
import type { Route, ServerSettings } from '../../src/domain/catalogue.ts'

/** Without `readonly` at any depth, which the schema's types do not have. */
type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> }

test('the schema of [server] matches ServerSettings, except for a former setting', () => {
  expectTypeOf<Omit<Static<typeof ServerSchema>, 'ledger_writer'>>().toEqualTypeOf<Mutable<ServerSettings>>()
})

test('the schema of [limits] matches Limits', () => {
  expectTypeOf<Static<typeof LimitsSchema>>().toEqualTypeOf<Mutable<Limits>>()
  expectTypeOf<NonNullable<Static<typeof LimitsSchema>['account']>>().toEqualTypeOf<Mutable<Limit>>()
})

test('the schema of a route matches Route', () => {
  type RouteText = ModelText['routes'][number]
  expectTypeOf<Omit<RouteText, 'cost'>>().toEqualTypeOf<Mutable<Omit<Route, 'cost'>>>()
  // In the file the cost is text, and parsed as a price is.
  expectTypeOf<keyof RouteText>().toEqualTypeOf<keyof Route>()
})
