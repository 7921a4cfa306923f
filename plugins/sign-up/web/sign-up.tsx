// The sign-up page: the visitor enters an address, and a link is mailed there.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, ApiError, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useSession } from '../../console/web/app/session.tsx'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { FailedState, Skeleton } from '../../console/web/parts/states.tsx'
import { OutsideFrame } from '../../sign-in/web/outside.tsx'
import { solveAltcha } from './altcha.ts'
import { rememberedReferral, rememberReferral } from './remembered.ts'
import { Turnstile } from './turnstile.tsx'

type Site = AnswerOf<(typeof api)['sign-up']['get']>

const TITLE = 'Create an account'

export default function SignUp() {
  const site = useApi(['sign-up'], () => api['sign-up'].get())
  const { data: session } = useSession()
  const [sent_to, setSentTo] = useState<string | null>(null)
  useState(rememberReferral)
  // The fragment has the code of an invitation: browsers do not send it to servers.
  const [code] = useState(() => location.hash.slice(1))
  const is_invited = site.data?.mode === 'invitation' && code !== ''
  const invitation = useInvitation(code, is_invited)
  const failed = site.error ? site : invitation.error instanceof ApiError ? undefined : invitation
  if (failed?.error)
    return (
      <OutsideFrame title={TITLE}>
        <FailedState failure={failed.error} retry={() => void failed.refetch()} />
      </OutsideFrame>
    )
  if (!site.data || !session || invitation.isLoading) return <Skeleton rows={4} />
  if (sent_to !== null) return <Sent email={sent_to} onAgain={() => setSentTo(null)} />
  const words = refusalOf(site.data, code) ?? invitation.error?.message
  if (words !== undefined)
    return (
      <OutsideFrame title={TITLE}>
        <Notice tone="warn">{words}</Notice>
        <HaveAccount />
      </OutsideFrame>
    )
  return (
    <OutsideFrame
      title={TITLE}
      lead="Enter your email address. We send you a link to choose a name and a password."
      refusal={session.sign_in_refusal}
    >
      {site.data.welcome_nanos > 0 && <p>{welcomeWords(site.data.welcome_nanos)}</p>}
      <EmailForm site={site.data} code={code} onSent={setSentTo} />
      <HaveAccount />
    </OutsideFrame>
  )
}

/** The credit comes with a payment: a sign-up alone brings none. */
const welcomeWords = (nanos: number): string => `We match your first payment, up to ${exactUsd(nanos)} USD.`

function refusalOf({ mode }: Site, code: string): string | undefined {
  if (mode === 'closed') return 'Sign-up is closed.'
  return mode === 'invitation' && code === ''
    ? 'Sign-up is by invitation. Open the link of your invitation, including the part after the #.'
    : undefined
}

/** Checks the invitation once when the page opens, before the visitor types an address. */
const useInvitation = (code: string, is_invited: boolean) =>
  useQuery({
    queryKey: ['sign-up-invitation', code],
    queryFn: () => send(api['sign-up'].invitation.post({ code })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: is_invited,
  })

const HaveAccount = () => (
  <p className="soft">
    Have an account? <Link href="/">Sign in</Link>
  </p>
)

interface EmailFormProps {
  site: Site
  code: string
  onSent: (email: string) => void
}

function EmailForm({ site, code, onSent }: EmailFormProps) {
  const [email, setEmail] = useState('')
  const { solution, widget, again } = useChallenge(site)
  const domains = site.email_domains.slice(0, 5).join(', ')

  async function submit(): Promise<void> {
    const to = email.trim()
    try {
      await send(
        api['sign-up'].post({
          email: to,
          ...rememberedReferral(),
          ...(site.mode === 'invitation' && { code }),
          ...(site.challenge !== 'none' && { solution: await solution() }),
        }),
      )
    } catch (thrown) {
      // The solution may be used up or expired.
      again()
      throw thrown
    }
    onSent(to)
  }

  return (
    <Form submit={submit} aria-label={TITLE}>
      <Field label="Email" name="email" help={domains === '' ? undefined : `An address of ${domains}.`}>
        <EmailInput own autoFocus value={email} onChange={setEmail} />
      </Field>
      {widget}
      <SubmitButton>Send link</SubmitButton>
    </Form>
  )
}

/** The challenge of this form: the browser solves ALTCHA while the visitor types; Turnstile has a widget. */
function useChallenge({ challenge, site_key }: Site) {
  const [attempt, setAttempt] = useState(0)
  const solving = useRef<Promise<string> | null>(null)
  const token = useRef<string | null>(null)
  const onToken = useCallback((next: string | null) => {
    token.current = next
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt needs another challenge
  useEffect(() => {
    token.current = null
    if (challenge !== 'altcha') return
    solving.current = solveAltcha()
    // The form shows the failure when it is sent.
    solving.current.catch(() => {})
  }, [challenge, attempt])
  async function solution(): Promise<string> {
    if (challenge === 'altcha') return await (solving.current ?? solveAltcha())
    if (token.current === null) throw new Error('Wait for the check below the address, then try again.')
    return token.current
  }
  return {
    solution,
    again: () => setAttempt((before) => before + 1),
    widget:
      challenge === 'turnstile' && site_key !== null ? (
        <Turnstile site_key={site_key} attempt={attempt} onToken={onToken} />
      ) : null,
  }
}

/** The text is the same whether or not the address has an account. */
const Sent = ({ email, onAgain }: { email: string; onAgain: () => void }) => (
  <OutsideFrame title="Check your mail">
    <p role="status">
      We sent a mail to <b>{email}</b>. Open its link within 24 hours to continue.
    </p>
    <p className="soft">No mail after a few minutes? Look in your spam folder, and check the address.</p>
    <div>
      <Button onClick={onAgain}>Use another address, or send again</Button>
    </div>
  </OutsideFrame>
)
