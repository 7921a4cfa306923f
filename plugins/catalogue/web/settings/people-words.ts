// Labels of settings about people: identity providers, sign-up, staff.

const SIGN_UP = {
  title: 'Sign-up',
  lead: 'Who may create an account for themselves. Needs a mail server and a public URL.',
  groups: {
    mode: 'Who may sign up',
    challenge: 'Protection from bots',
    per_address_per_day: 'Limits',
    terms_version: 'Terms',
    welcome_usd: 'First payment',
  },
  labels: {
    mode: {
      label: 'Sign-up',
      options: { closed: 'Closed', invitation: 'By invitation', open: 'Open to anybody' },
    },
    email_domains: { label: 'Allowed email domains', help: 'Leave empty to allow all.', code: true },
    disposable_domains: {
      label: 'File of throw-away domains',
      help: 'A file in the data folder. Leave empty for the built-in list.',
      code: true,
    },
    challenge: { label: 'Challenge', options: { altcha: 'ALTCHA', turnstile: 'Turnstile', none: 'None' } },
    turnstile_site_key: { label: 'Turnstile site key', code: true },
    turnstile_secret: { label: 'Turnstile secret key', help: 'Or env:NAME.', code: true },
    per_address_per_day: { label: 'Sign-ups a day per network address', help: '0 for no limit.' },
    per_domain_per_day: {
      label: 'Sign-ups a day per email domain',
      help: '0 for no limit. Large mail providers do not count.',
    },
    mails_per_hour: { label: 'Mails an hour', help: '0 for no limit.' },
    terms_version: { label: 'Version of the terms', help: 'Kept with each acceptance, such as 2026-11.' },
    welcome_usd: {
      label: 'Welcome credit',
      help: 'Added once, to the first payment of an account that signed up, up to the amount paid. 0 for none.',
    },
  },
} as const

export const PEOPLE = {
  sign_in: {
    title: 'Identity providers',
    lead: 'Sign-in with Google, Microsoft, GitHub and others. Needs a public URL: with /console/sign-in/NAME, it is the redirect URI to enter at the provider.',
    noun: 'identity provider',
    labels: {
      oidc: { label: 'Providers' },
      preset: { label: 'Preset', help: 'Choose “None” for another provider.', options: { '': 'None' } },
      staff_role: { label: 'Role of new staff', help: '“None” adds nobody.', options: { '': 'None' } },
      client_secret: {
        label: 'Client secret',
        help: 'Or env:NAME. Leave empty for a public client.',
        code: true,
      },
      for: {
        label: 'Who may sign in',
        options: { accounts: 'Account holders', staff: 'Staff', both: 'Both' },
      },
    },
  },
  sign_up: SIGN_UP,
  staff: {
    title: 'Staff',
    lead: 'How much people with the role support may credit. Manage people in System, Staff.',
    labels: {
      support_credit_usd: {
        label: 'Support credit a day',
        help: 'The most that each support person may add and refund in a day (UTC). 0 for nothing.',
      },
    },
  },
} as const
