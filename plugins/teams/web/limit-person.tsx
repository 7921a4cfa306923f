// The dialog of a person's spend limits, for all of their keys in the account together.
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { MoneyInput } from '../../console/web/parts/input.tsx'
import type { MemberView } from '../list.ts'
import type { TeamProps } from './words.ts'

const LIMITS = [
  { name: 'five_hour_limit', period: '5h', label: '5-hour limit', help: 'Starts with the first call.' },
  { name: 'daily_limit', period: 'day', label: 'Daily limit' },
  { name: 'weekly_limit', period: 'week', label: 'Weekly limit', help: 'From Monday.' },
  { name: 'monthly_limit', period: 'month', label: 'Monthly limit' },
] as const

type Draft = Record<(typeof LIMITS)[number]['name'], string>

const draftOf = ({ spend_limits }: MemberView): Draft =>
  Object.fromEntries(
    LIMITS.map(({ name, period }) => [
      name,
      spend_limits.find((limit) => limit.period === period)?.limit_usd ?? '',
    ]),
  ) as Draft

interface LimitPersonProps extends TeamProps {
  person: MemberView
  onClose: () => void
}

export function LimitPerson({ person, account, onClose }: LimitPersonProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(person))
  const save = () =>
    send(
      api.team({ person: pathPart(person.person_id) }).limits.put({
        ...(account && { account: String(account.id) }),
        five_hour_limit: draft.five_hour_limit.trim() || null,
        daily_limit: draft.daily_limit.trim() || null,
        weekly_limit: draft.weekly_limit.trim() || null,
        monthly_limit: draft.monthly_limit.trim() || null,
      }),
    )
  return (
    <Dialog open onClose={onClose} title={`Spend limits of ${person.name}`}>
      <ActionForm
        label="Spend limits"
        work={save}
        changes={['team']}
        done={() => `Spend limits of ${person.name} changed`}
        onClose={onClose}
        verb="Save limits"
      >
        <p className="soft">Of all their API keys in this account together. Leave empty for no limit.</p>
        {LIMITS.map(({ name, label, ...rest }) => (
          <Field key={name} label={label} name={name} {...('help' in rest && { help: rest.help })}>
            <MoneyInput value={draft[name]} onChange={(text) => setDraft({ ...draft, [name]: text })} />
          </Field>
        ))}
      </ActionForm>
    </Dialog>
  )
}
