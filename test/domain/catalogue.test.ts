// The catalogue's interfaces against the schema of its file: the same fields of the same types. Checked by tsc.
import { expectTypeOf, test } from 'bun:test'
import type { Static } from '@sinclair/typebox'
import type { ModelText } from '../../src/catalogue/schema.ts'
import type { LimitsSchema, ServerSchema } from '../../src/catalogue/section-schemas.ts'
import type { Limit, Limits } from '../../src/domain/call-limits.ts'
import type { Route, ServerSettings } from '../../src/domain/catalogue.ts'

/** Without `readonly` at any depth, which the schema's types do not have. */
type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> }

test('[server] is ServerSettings, besides a former setting', () => {
  expectTypeOf<Omit<Static<typeof ServerSchema>, 'ledger_writer'>>().toEqualTypeOf<Mutable<ServerSettings>>()
})

test('[limits] is Limits', () => {
  expectTypeOf<Static<typeof LimitsSchema>>().toEqualTypeOf<Mutable<Limits>>()
  expectTypeOf<NonNullable<Static<typeof LimitsSchema>['account']>>().toEqualTypeOf<Mutable<Limit>>()
})

test('a route of a model is a Route', () => {
  type RouteText = ModelText['routes'][number]
  expectTypeOf<Omit<RouteText, 'cost'>>().toEqualTypeOf<Mutable<Omit<Route, 'cost'>>>()
  // The file has a cost as text, which is read as a price is.
  expectTypeOf<keyof RouteText>().toEqualTypeOf<keyof Route>()
})
