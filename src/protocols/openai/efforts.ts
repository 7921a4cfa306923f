// The words of OpenAI's protocols for how much a model is to think.
import type { Thinking } from '../canonical/fields.ts'

export const EFFORTS = {
  none: { mode: 'off' },
  minimal: { mode: 'effort', effort: 'minimal' },
  low: { mode: 'effort', effort: 'low' },
  medium: { mode: 'effort', effort: 'medium' },
  high: { mode: 'effort', effort: 'high' },
  xhigh: { mode: 'effort', effort: 'xhigh' },
  max: { mode: 'effort', effort: 'max' },
} as const satisfies Readonly<Record<string, Thinking>>
