export default {
  input: 'openapi.json',
  output: { path: 'generated/hey-api', module: { extension: '.js' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
}
