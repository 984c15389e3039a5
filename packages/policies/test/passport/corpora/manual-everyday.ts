/** More of what people type all day, near the ways out: the same programs, options and characters, to a good end. */
export const manualEveryday: readonly string[] = String.raw`
git switch -
git log main..feature/login
git diff HEAD~3 -- package.json
git stash push -u -m "before the merge"
git commit -F message.txt
git add package.json package-lock.json
git checkout -b fix/x origin/main
git push --force-with-lease
git push --tags
git merge --abort
git merge -s ours old
git merge --strategy=recursive -X theirs main
git restore src package.json
git branch -m new-name
git clean -fd build
git remote add upstream https://github.com/acme/site.git
git remote add mirror git@github.com:acme/site.git
git fetch origin pull/12/head:pr-12
git worktree add ../site-fix fix/x
git log --author='ann@example.com' --format='%C(auto)%h %s'
git grep -nE 'a|b' -- src
git log -p -- .env.example
git diff --name-only main | xargs npx prettier --check
git ls-files | xargs grep -l TODO
git ls-files '*.ts' | xargs wc -l
git ls-files -z | xargs -0 npx eslint
git add §(git diff --name-only)
git diff --exit-code
git show HEAD:package.json
git commit -m "Fix exec; see -c and --upload-pack"
command -v node
node --max-old-space-size=4096 build.js
node -e "console.log(1 + 1)"
python3 -c 'import sys; print(sys.version)'
python3 -m venv venv
npm run build --workspace packages/core
npm run test:unit
npm install --no-save tsx
npm run lint --silent
npm -w packages/core test
npm config get registry
npm init -y
npm pkg get version
npm help install
make build VERSION=1.2.3
make -n test
make test V=1
make -C docs html
make -j8 all || make all
awk '/foo|bar/ { n++ } END { print n / 2 }' notes.txt
sed -i "s/VERSION/§version/" README.md
git push -u origin "§(git rev-parse --abbrev-ref HEAD)"
branch=§(git branch --show-current); git push origin "§branch"
for b in a b; do git log -1 "§b"; done
tar -xzf a.tgz --strip-components=1 -C vendor
tar cf - src | gzip > src.tgz
tar --exclude=node_modules -czf site.tgz .
find . -name '*.ts' -not -path './node_modules/*'
find src -type f -exec sed -i 's/foo/bar/g' {} +
find . -type d -empty -delete
find . -mtime -1 -ls
grep -rn 'foo(' --include='*.ts' src
grep -rlZ foo src | xargs -0 sed -i 's/foo/bar/g'
grep -rn 'process.env' src
sed -n '/start/,/end/p' notes.txt
sed -i '/^import x/d' src/a.ts
sed -i '5i\  hello' notes.txt
sed -E 's/(write|exec)+/x/g' notes.txt
sed 's/e/w/' notes.txt
sed 's#/a#/b#g; s/x/y/' notes.txt
sed -n '§p' notes.txt
awk '§3 > max { max = §3 } END { print max }' data.csv
awk 'length > 100' src/app.ts
awk -F: '§3 >= 1000 { print §1 }' users.txt
awk '/a/ || /b/' notes.txt
awk '!seen[§0]++' names.txt
awk -v n=3 'NR == n' notes.txt
awk '{ print (§1 > §2) ? "more" : "less" }' data.csv
curl -sS -w '%{http_code}\n' -o /dev/null https://example.com
curl -H "accept: text/html" https://example.com
curl --retry 3 --max-time 10 -O https://example.com/data.json
curl -d @body.json https://api.example.com/items
curl -F 'file=@dist/site.tgz' https://api.example.com/upload
jq --arg v 1 '.x = §v' a.json > b.json
jq -n '{a: 1}'
test "§(git status --porcelain)" = "" && echo clean
[ -n "§CI" ] && npm ci
export NODE_ENV=test && npm test
echo "§HOME" is home
cat a.txt b.txt > c.txt
cat <<EOF > notes.md⏎on §HOME⏎EOF
timeout 60 npm test
nohup npm start > server.log 2>&1 &
nice -n 10 make
cp -a src backup
cp .env.example .env
mkdir -p .cache/build
rm -rf .next .turbo
cat .nvmrc .gitignore
cat .github/workflows/ci.yml
cat .husky/pre-commit
ls -la .env
ls ~
npx prettier --write .
npx eslint . --fix
go test -race -cover ./...
go mod tidy
go run ./cmd/app
go build -o bin/app ./cmd/app
cargo fmt --check
cargo clippy -- -D warnings
cargo run --bin app -- --port 8080
pip install -e .
pip install 'requests>=2'
pytest --cov=src tests
gcc -O2 -Wall -Iinclude -c src/a.c -o build/a.o
zip -r out.zip dist -x '*.map'
unzip -o a.zip -d vendor
less +G server.log
man 2 open
tree -I node_modules -o tree.txt
sort -uo names.txt names.txt
diff --from-file=old.txt new.txt
rg --files | head
read -r line < notes.txt; echo "§line"
printf -v today '%s' monday; echo "§today"
test -d src && echo there
find . -name '*.env.example'
`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replaceAll('§', '$').replaceAll('⏎', '\n'))
