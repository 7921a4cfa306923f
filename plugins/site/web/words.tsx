// Labels and colors of the states of incidents, and quoting for shell commands.
import type { Option } from '../../console/web/parts/select.tsx'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import type { IncidentListRow } from '../incidents/list.ts'

type IncidentState = IncidentListRow['state']

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
