// The link from the sign-in form to the sign-up page.
import { addressOf } from '../../console/web/app/gateway-address.ts'

/** A full page load, since the sign-up page may have another content security policy. */
export default function SignUpWay() {
  return (
    <p className="soft">
      New here? <a href={addressOf('/console/sign-up')}>Create an account</a>
    </p>
  )
}
