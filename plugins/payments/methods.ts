// The payment methods that are set up: built-in ones and those of custom plugins.
import type { PaymentProvider } from '../../src/payment-api.ts'
import { manualProvider } from './manual/provider.ts'
import type { MethodParts } from './method-parts.ts'
import type { SavedCards } from './stripe/cards.ts'
import { openStripe } from './stripe/opening.ts'

interface BuiltInParts extends MethodParts {
  /** Absent in a command, which receives no webhooks. */
  cards?: Pick<SavedCards, 'finish'>
}

/** Opens a built-in method once per process. The returned function gives the method for the current settings; undefined if it is not set up. */
type BuiltIn = (parts: BuiltInParts) => () => PaymentProvider | undefined

const openManual: BuiltIn =
  ({ settings }) =>
  () => {
    const { manual } = settings()
    return manual && manualProvider(manual)
  }

const BUILT_IN: readonly BuiltIn[] = [openStripe, openManual]

/** @param own methods of custom plugins, whose names differ from those of built-in ones */
export function openMethods(
  parts: BuiltInParts,
  own: readonly PaymentProvider[],
): () => readonly PaymentProvider[] {
  const built_in = BUILT_IN.map((open) => open(parts))
  return () => [...built_in.flatMap((method) => method() ?? []), ...own]
}
