// The parts that large bodies are read with.
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
  /** Values that arrived before, and need not be parsed again. */
  known: KnownValues
  /** The account as it is now; the gate's copy may be a second old. */
  accountOf(account_id: number): Awaitable<Account | undefined>
}
