// The payment methods that are set up: the built-in ones, and those of custom plugins.
import type { PaymentProvider } from '../../src/payment-api.ts'
import { manualProvider } from './manual/provider.ts'
import type { PaymentSettings } from './settings.ts'

/** Makes a built-in method by the settings in use. @returns undefined where it is not set up */
type BuiltIn = (settings: PaymentSettings) => PaymentProvider | undefined

const BUILT_IN: readonly BuiltIn[] = [({ manual }) => manual && manualProvider(manual)]

/** @param own those of custom plugins, which keep their names from built-in ones */
export const methodsOf = (
  settings: PaymentSettings,
  own: readonly PaymentProvider[],
): readonly PaymentProvider[] => [...BUILT_IN.flatMap((make) => make(settings) ?? []), ...own]
