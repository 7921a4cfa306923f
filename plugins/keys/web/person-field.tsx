// Field that chooses the person who gets a new key, and the query of possible people.
import { api } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Select } from '../../console/web/parts/select.tsx'

export interface Holder {
  person_id: number
  name: string
  email: string | null
}

const MAX_SHOWN = 1_000
const ROLES = { owner: 'Owner', member: 'Member' } as const

/**
 * Returns the people who can get a new key; empty if the viewer may create only their own keys, or is the only owner.
 *
 * @param account the name that the operator entered; the query waits for it
 */
export function useHolders(account: string) {
  const { side, rights } = useViewer()
  const is_operator = side === 'operator'
  const { data } = useApi(
    ['team', 'holders', account],
    () => api.team.get({ query: { account: is_operator ? account : undefined, limit: MAX_SHOWN } }),
    { enabled: rights.includes('manage_team') && (!is_operator || account !== ''), is_of_one: true },
  )
  const holders = data?.people.flatMap(({ role, is_disabled, ...person }) =>
    role === 'billing' || is_disabled ? [] : [{ ...person, role }],
  )
  return holders === undefined || (holders.length === 1 && !is_operator) ? [] : holders
}

interface PersonFieldProps {
  holders: ReturnType<typeof useHolders>
  /** The id of the person; empty if the key belongs to the account. */
  value: string
  onChange: (value: string) => void
}

export const PersonField = ({ holders, value, onChange }: PersonFieldProps) => (
  <Field
    label="Belongs to"
    name="person"
    help="A person’s key counts for their spend limits, and they see its calls."
  >
    <Select
      options={[
        { value: '', label: 'The account', detail: 'Nobody in particular' },
        ...holders.map(({ person_id, name, email, role }) => ({
          value: String(person_id),
          label: name,
          detail: email === null ? ROLES[role] : `${ROLES[role]}, ${email}`,
        })),
      ]}
      value={value}
      onChange={onChange}
    />
  </Field>
)
