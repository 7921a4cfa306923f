// Details of an account (short name, email, note, price group), and the form that edits them.
import { PriceGroupField } from '../../catalogue/web/price-groups/price-group-field.tsx'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { EditForm, pickFields, useChanges } from '../../console/web/parts/changes.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Dialog, type DialogState } from '../../console/web/parts/dialog.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextArea, TextInput } from '../../console/web/parts/input.tsx'
import { Switch } from '../../console/web/parts/switch.tsx'
import type { AccountView } from '../console/views.ts'

/** Empty for an account with list prices and only a short name, because the page's title shows that name. */
export function AccountDetails({ of: account }: { of: AccountView }) {
  const { name, display_name, email, note, price_group, price_group_lost } = account
  if (`${display_name}${email}${note}${price_group ?? ''}` === '') return null
  return (
    <Facts
      facts={[
        ['Account', display_name !== '' && <code key="name">{name}</code>],
        [
          'Email',
          email !== '' && (
            <a key="email" href={`mailto:${email}`}>
              {email}
            </a>
          ),
        ],
        ['Note', note !== '' && note],
        [
          'Price group',
          price_group !== null && (
            <span key="group">
              {price_group}
              {price_group_lost && (
                <strong className="tone-bad">
                  {' '}
                  – not in the catalogue, so this account pays list prices
                </strong>
              )}
            </span>
          ),
        ],
      ]}
    />
  )
}

interface DetailsDialogProps extends DialogState {
  account: AccountView
}

export function DetailsDialog({ account, open, onClose }: DetailsDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Edit ${account.name}`}>
      <Details account={account} onClose={onClose} />
    </Dialog>
  )
}

type Draft = Pick<
  AccountView,
  'display_name' | 'email' | 'note' | 'billing_details' | 'price_group' | 'keys_see_account'
>

const draftOf = (account: Draft): Draft => ({
  display_name: account.display_name,
  email: account.email,
  note: account.note,
  billing_details: account.billing_details,
  price_group: account.price_group,
  keys_see_account: account.keys_see_account,
})

const LABELS: Readonly<Record<keyof Draft, string>> = {
  display_name: 'Display name',
  email: 'Email',
  note: 'Note',
  billing_details: 'Billing details',
  price_group: 'Price group',
  keys_see_account: 'Limited keys see all calls',
}

function Details({ account, onClose }: Omit<DetailsDialogProps, 'open'>) {
  const { runOrThrow } = useAction({
    work: (body: Partial<Draft> & { was: Partial<Draft> }) =>
      send(api.accounts({ id: pathPart(account.id) }).patch(body)),
    changes: ['accounts', 'account'],
    done: () => ({ text: `Account "${account.name}" updated` }),
  })
  const changes = useChanges({
    source: account as Draft,
    draftOf,
    reread: () => send(api.accounts({ id: pathPart(account.id) }).get()),
    save: (names, draft, read) =>
      runOrThrow({ ...pickFields(draft, names), was: pickFields(draftOf(read), names) }),
  })
  const { draft, setDraft, names } = changes
  const set = (name: Exclude<keyof Draft, 'keys_see_account' | 'price_group'>) => (text: string) =>
    setDraft({ ...draft, [name]: text })
  return (
    <EditForm
      label="Details"
      of={changes}
      labels={LABELS}
      command={`tollgate account change ${account.name}${optionsFor(draft, names)}`}
      onClose={onClose}
    >
      <Field label={LABELS.display_name} name="display_name" help="A person or a company, in any letters.">
        <TextInput value={draft.display_name} onChange={set('display_name')} autoComplete="off" />
      </Field>
      <Field label={LABELS.email} name="email" help="The contact for billing.">
        <EmailInput value={draft.email} onChange={set('email')} />
      </Field>
      <Field label={LABELS.note} name="note" help="Visible to operators only.">
        <TextArea rows={3} value={draft.note} onChange={set('note')} />
      </Field>
      <Field
        label={LABELS.billing_details}
        name="billing_details"
        help="The buyer on statements: name, address, tax number."
      >
        <TextArea rows={3} value={draft.billing_details} onChange={set('billing_details')} />
      </Field>
      <PriceGroupField
        value={draft.price_group}
        onChange={(price_group) => setDraft({ ...draft, price_group })}
      />
      <Field inline label={LABELS.keys_see_account} name="keys_see_account">
        <Switch
          checked={draft.keys_see_account}
          onChange={(on) => setDraft({ ...draft, keys_see_account: on })}
        />
      </Field>
    </EditForm>
  )
}

const optionsFor = (draft: Draft, names: readonly (keyof Draft)[]): string =>
  names
    .map((name) =>
      name === 'keys_see_account'
        ? ` --keys-see ${draft[name] ? 'account' : 'own'}`
        : name === 'price_group'
          ? ` --group ${shellQuote(draft.price_group ?? 'none')}`
          : ` --${name.replaceAll('_', '-')} ${shellQuote(draft[name])}`,
    )
    .join('')
