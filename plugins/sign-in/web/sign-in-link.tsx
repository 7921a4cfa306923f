// The page of a link that signs in. Only its button uses the link, so that mail scanners do not use it up.
import { Link } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import { Form, SubmitButton } from '../../console/web/parts/form.tsx'
import { LinkPage } from './link-page.tsx'
import { OutsideFrame, useArrival } from './outside.tsx'

export default function SignInLink() {
  const arrive = useArrival()
  async function signIn(token: string): Promise<void> {
    await send(api.links['sign-in'].post({ token }))
    await arrive('/')
  }
  return (
    <LinkPage
      subject="link"
      look={(token) => send(api.links.look.post({ token }))}
      title="Sign in"
      advice={
        <p>
          <Link href="/">Sign in</Link>, or ask for a new link there.
        </p>
      }
    >
      {({ person, account }, token, refusal) => (
        <OutsideFrame
          title="Sign in"
          lead={`You sign in as ${person}${account === null || account === person ? '' : `, in the account ${account}`}.`}
          refusal={refusal}
        >
          <Form submit={() => signIn(token)} aria-label="Sign in">
            <SubmitButton>Sign in</SubmitButton>
          </Form>
        </OutsideFrame>
      )}
    </LinkPage>
  )
}
