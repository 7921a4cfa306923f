// The core's tables for Drizzle, and their row types. The SQL that creates them is in the engines' migrations.
export * from './tables/accounts.ts'
export * from './tables/actions.ts'
export * from './tables/calls.ts'
export * from './tables/images.ts'
export * from './tables/kept.ts'
export * from './tables/money.ts'
export * from './tables/people.ts'
export * from './tables/service.ts'
