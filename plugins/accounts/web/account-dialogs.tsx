// Dialogs of an account: rename, suspend, close, invite.
import { useState } from 'react'
import { type AnswerOf, api, pathPart, send } from '../../console/web/app/client.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { EditForm, useChanges } from '../../console/web/parts/changes.tsx'
import { AsCommand, Secret } from '../../console/web/parts/code.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import {
  ConfirmDialog,
  Dialog,
  DialogDone,
  type DialogState,
  useResult,
} from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton, SubmitOrCancel } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { exactTime } from '../../console/web/parts/time-words.ts'
import type { AccountView } from '../console/views.ts'

interface AccountDialogProps extends DialogState {
  account: AccountView
}

const CHANGES = ['accounts', 'account', 'keys']

export function RenameDialog({ account, open, onClose }: AccountDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Rename ${account.name}`}>
      <Rename account={account} onClose={onClose} />
    </Dialog>
  )
}

function Rename({ account, onClose }: Omit<AccountDialogProps, 'open'>) {
  const { runOrThrow } = useAction({
    work: (body: { name: string; was: { name: string } }) =>
      send(api.accounts({ id: pathPart(account.id) }).patch(body)),
    changes: CHANGES,
    done: ({ was }, { account: after, remark }) => ({
      text: `Account "${was.name}" renamed to "${after.name}"${remark === null ? '' : `. ${remark}`}`,
    }),
  })
  const changes = useChanges({
    source: account,
    draftOf: ({ name }) => ({ name }),
    reread: () => send(api.accounts({ id: pathPart(account.id) }).get()),
    save: (_, { name }, read) => runOrThrow({ name: name.trim(), was: { name: read.name } }),
  })
  const { name } = changes.draft
  return (
    <EditForm
      label="Rename"
      of={changes}
      labels={{ name: 'Name' }}
      verb="Rename account"
      command={`tollgate account rename ${account.name} ${name.trim() || 'NEW-NAME'}`}
      onClose={onClose}
    >
      <Field
        label="New name"
        name="name"
        help="Keys, balance and calls stay with the account. Sign in with the new name from now on."
      >
        <TextInput value={name} onChange={(text) => changes.setDraft({ name: text })} autoComplete="off" />
      </Field>
    </EditForm>
  )
}

/** Suspends an account, or edits the reason of a suspended one. */
export function SuspendDialog({ account, open, onClose }: AccountDialogProps) {
  const { name, status, suspension_words } = account
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? suspension_words
  const words = text.trim()
  const is_new = status === 'active'
  const { runOrThrow } = useAction({
    work: () => send(api.accounts({ id: pathPart(account.id) }).suspend.post({ words })),
    changes: CHANGES,
    done: () => ({ text: is_new ? `Account "${name}" suspended` : 'Reason saved' }),
  })
  const close = () => {
    setTyped(null)
    onClose()
  }
  return (
    <ConfirmDialog
      open={open}
      onClose={close}
      title={is_new ? `Suspend ${name}?` : `Reason for suspending ${name}`}
      consequence={
        <div className="stack">
          {is_new && (
            <p>
              Calls of {name} are refused from now on. Calls under way finish and are charged. Its people can
              still sign in, to see why and to pay. Balance and keys stay; resuming brings everything back.
            </p>
          )}
          <Field label="Reason" name="words" help={`Optional. The people of ${name} see it.`}>
            <TextInput value={text} onChange={setTyped} />
          </Field>
          <AsCommand
            command={`tollgate account suspend ${name}${words === '' ? '' : ` --reason ${shellQuote(words)}`}`}
          />
        </div>
      }
      verb={is_new ? `Suspend ${name}` : 'Save reason'}
      look={is_new ? 'danger' : 'primary'}
      confirm={() => runOrThrow(undefined)}
    />
  )
}

export function CloseDialog({ account, open, onClose }: AccountDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Close ${account.name}`}>
      <Close account={account} onClose={onClose} />
    </Dialog>
  )
}

function Close({ account, onClose }: Omit<AccountDialogProps, 'open'>) {
  const [name, setName] = useState('')
  return (
    <ActionForm
      label="Close account"
      work={() => send(api.accounts({ id: pathPart(account.id) }).close.post({ name: name.trim() }))}
      changes={CHANGES}
      done={({ revoked_keys }) => `Account "${account.name}" closed. Keys revoked: ${revoked_keys}`}
      onClose={onClose}
      verb={`Close ${account.name}`}
      look="danger"
      command={`tollgate account close ${account.name}`}
    >
      <p>
        All keys of {account.name} are revoked, its kept responses are deleted, and its calls are refused. Its
        balance of <Money nanos={account.balance_nanos} exact />, its history, images and files are kept. You
        can open it again later; its keys stay revoked.
      </p>
      <Field label={`Enter ${account.name} to confirm`} name="name">
        <TextInput value={name} onChange={setName} autoComplete="off" />
      </Field>
    </ActionForm>
  )
}

/** Invites the account. A link is shown once, so while it is visible, only its own button closes the dialog. */
export function InviteDialog({ account, open, onClose }: AccountDialogProps) {
  const [sent, setSent, end] = useResult<Invited>(onClose)
  const { runOrThrow } = useAction({
    work: (as_link: boolean) => send(api.invitations.post({ account: account.name, as_link })),
    changes: ['account', 'mails'],
  })
  return (
    <Dialog
      open={open}
      onClose={end}
      title={`Invite ${account.name}`}
      dismissable={sent === null || sent.url === null}
    >
      {sent ? (
        <Sent
          account={account}
          sent={sent}
          end={end}
          showLink={async () => setSent(await runOrThrow(true))}
        />
      ) : (
        <Form submit={async () => setSent(await runOrThrow(false))} aria-label="Invite">
          <p>
            A link lets {account.name} set a password and sign in to see their balance, calls, keys,
            playground and images. This link replaces any earlier one.
          </p>
          <p className="soft small">
            {account.email === ''
              ? 'The account has no email address: you get the link to pass on.'
              : `It is mailed to ${account.email} if a mail server is set; else you get the link to pass on.`}
          </p>
          {account.status !== 'active' && (
            <Notice tone="warn">
              {account.status === 'closed'
                ? `${account.name} is closed. They can sign in after you reopen it.`
                : `${account.name} is suspended. They can sign in to see why, and to pay.`}
            </Notice>
          )}
          <SubmitOrCancel onCancel={end}>Invite</SubmitOrCancel>
          <AsCommand command={`tollgate account invite ${account.name}`} />
        </Form>
      )}
    </Dialog>
  )
}

type Invited = AnswerOf<typeof api.invitations.post>

interface SentProps {
  account: AccountView
  sent: Invited
  end: () => void
  /** Creates a new link, which replaces the mailed one. */
  showLink: () => Promise<void>
}

function Sent({ account, sent: { url, mailed_to, expires_at_ms }, end, showLink }: SentProps) {
  const operates = useMay('operate')
  const expires = exactTime(expires_at_ms)
  if (url === null)
    return (
      <Form submit={showLink} aria-label="Invitation">
        <p>
          An invitation is on its way to {mailed_to}. Its link works once, until {expires}.
        </p>
        <FormActions>
          <Button look="primary" onClick={end}>
            Done
          </Button>
          {operates && <SubmitButton look="plain">Show a link instead</SubmitButton>}
        </FormActions>
      </Form>
    )
  return (
    <>
      <p>
        Send this link to {account.name}. It works once, until {expires}, and is not shown again.
      </p>
      <Secret value={url} what="link" />
      <DialogDone onDone={end} />
    </>
  )
}

/** Returns the function that resumes the account. The toast has an undo if an operator had suspended it. */
export function useResume(account: AccountView): () => void {
  const { suspension_reason, suspension_words: words } = account
  const suspend = useAction({
    work: () => send(api.accounts({ id: pathPart(account.id) }).suspend.post({ words })),
    changes: CHANGES,
    done: () => ({ text: `Account "${account.name}" suspended` }),
  })
  const resume = useAction({
    work: () => send(api.accounts({ id: pathPart(account.id) }).resume.post()),
    changes: CHANGES,
    done: () =>
      account.status === 'suspended'
        ? {
            text: `Account "${account.name}" resumed`,
            ...(suspension_reason === 'operator' && { undo: () => suspend.run(undefined) }),
          }
        : { text: `Account "${account.name}" reopened. Its old keys stay revoked: create new ones.` },
  })
  return () => resume.run(undefined)
}
