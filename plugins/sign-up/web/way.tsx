// The way from the form for signing in to signing up.
import { addressOf } from '../../console/web/app/place.ts'

/** A whole new page, since the content security policy of signing up may be another one. */
export default function SignUpWay() {
  return (
    <p className="soft">
      New here? <a href={addressOf('/console/sign-up')}>Create an account</a>
    </p>
  )
}
