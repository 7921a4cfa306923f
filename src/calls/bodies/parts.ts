// The dependencies for reading large bodies.
import type { KnownValues } from '../../protocols/wire/known-values.ts'
import type { Awaitable } from '../../store/db.ts'
import type { Account } from '../../store/schema.ts'
import type { CallHooks } from '../hooks/registered.ts'
import type { Parser } from '../parsing/parser.ts'
import type { BodyMemory } from './memory.ts'

export interface BodyParts {
  memory: BodyMemory
  parser: Parser
  /** The hooks of custom plugins, which see the body. */
  hooks: CallHooks
  /** Values seen in earlier bodies, which need no second parse. */
  known: KnownValues
  /** Returns the account's current state; the gate's copy may be a second old. */
  accountOf(account_id: number): Awaitable<Account | undefined>
}
