// The states of incidents in words.
import type { Option } from '../../console/web/parts/select.tsx'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import type { ShownIncident } from '../incidents/list.ts'

type IncidentState = ShownIncident['state']

const WORDS: Readonly<Record<IncidentState, { label: string; tone: Tone }>> = {
  investigating: { label: 'Investigating', tone: 'bad' },
  identified: { label: 'Identified', tone: 'bad' },
  monitoring: { label: 'Monitoring', tone: 'warn' },
  resolved: { label: 'Resolved', tone: 'good' },
}

export const IncidentStatus = ({ state }: { state: IncidentState }) => (
  <Status tone={WORDS[state].tone}>{WORDS[state].label}</Status>
)

const optionOf = (state: IncidentState): Option<IncidentState> => ({
  value: state,
  label: WORDS[state].label,
})

export const OPEN_STATES = (['investigating', 'identified', 'monitoring'] as const).map(optionOf)
export const ALL_STATES = [...OPEN_STATES, optionOf('resolved')]

/** Quotes for a shell around a text; a place for one that is not written yet. */
export const quoted = (text: string, place: string): string =>
  text.trim() === '' ? place : `'${text.trim().replaceAll("'", `'\\''`)}'`
