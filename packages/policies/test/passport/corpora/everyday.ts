/** What people who write programs type all day, from the manuals of these programs. A passport that denies it is turned off. */
export const everyday: readonly string[] = String.raw`
git status
git status --short --branch
git diff
git diff --stat HEAD~1
git diff --cached -- src/index.ts
git diff main...feature/login
git log --oneline -n 20
git log --graph --all --decorate
git log -p -S parseConfig -- src
git log --since="2 weeks ago" --author=ann
git log --pretty=format:'%h %an %s'
git show HEAD:src/app.ts
git show --name-only HEAD
git add -A
git add src/app.ts test/app.test.ts
git add -p src
git commit -m "Fix the parser; handle empty input"
git commit -am 'Use $HOME nowhere'
git commit --amend --no-edit
git commit --allow-empty -m "Trigger a build"
git commit -m "Say what -c does" -m "And why"
git branch -a
git branch -d feature/old
git switch -c feature/new
git switch main
git checkout -b fix/empty-input
git checkout -- src/app.ts
git checkout main && git pull --ff-only
git stash push -m wip
git stash pop
git stash list
git fetch --all --prune
git pull --rebase origin main
git push -u origin HEAD
git push origin --delete feature/old
git merge --no-ff feature/login
git rebase main
git rebase --continue
git reset --soft HEAD~1
git reset HEAD src/app.ts
git restore --staged src/app.ts
git rm --cached build/out.js
git mv src/old.ts src/new.ts
git clean -fdn
git tag -a v1.2.0 -m "Version 1.2.0"
git describe --tags --always
git blame -L 10,20 src/app.ts
git grep -n "parseConfig" -- '*.ts'
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git ls-files '*.md' | wc -l
git remote -v
git worktree list
git shortlog -sn
git cherry-pick abc1234
git clone https://github.com/acme/site.git
git clone --depth 1 https://github.com/acme/site.git site
git init
npm ci
npm install
npm install --save-dev vitest
npm install lodash@4
npm test
npm test -- --run src/app.test.ts
npm run build
npm run lint -- --fix
npm run dev & sleep 5; kill %1
npm outdated
npm audit
npm ls --depth=0
npm view zod version
npm pack --dry-run
npm version patch
npm uninstall left-pad
npm run build 2>&1 | tail -n 40
npm test > test.log 2>&1
npx tsc --noEmit
npx vitest run --coverage
npx vitest -t "parses empty input"
npx eslint src --ext .ts
npx prettier --check "src/**/*.ts"
tsc -p tsconfig.json
node script.js
node --test
node --version
node dist/main.js --port 3000 --verbose
node -p "process.version"
NODE_ENV=test npm test
NODE_ENV=production npm run build
CI=1 npm test
CI=true NO_COLOR=1 npx vitest run
FORCE_COLOR=0 npm run lint
LC_ALL=C sort names.txt
LANG=en_US.UTF-8 date
TZ=UTC date
TZ=Europe/Berlin date +%H:%M
python3 script.py
python3 -m pytest -q
python3 -m json.tool data.json
python3 --version
pytest -x -k "empty and not slow"
pytest tests/test_app.py::test_empty -vv
pip install -r requirements.txt
cargo build --release
cargo test -- --nocapture
cargo check
RUST_BACKTRACE=1 cargo test
go build ./...
go test ./... -run TestEmpty -v
go vet ./...
make
make test
make -j4 all
make clean && make
gcc -Wall -O2 -o build/app src/app.c
ls
ls -la
ls -lh src test
ls *.md
ls .git
cat README.md
cat package.json
cat package.json | jq .scripts
cat .git/HEAD
cat src/*.ts | wc -l
head -n 50 src/app.ts
tail -f -n 100 server.log
tail -n +2 data.csv
less README.md
grep -rn "TODO" src
grep -rIl --include='*.ts' parseConfig .
grep -v '^#' config.ini | sort | uniq -c
grep -E "^(import|export)" src/app.ts
grep -c error server.log || true
grep -rn "password" src
grep -n ".env" .gitignore
rg parseConfig
rg -n --type ts "interface \w+Config" src
rg -l TODO | head
find . -name "*.test.ts"
find . -type f -size +1M
find src -name '*.ts' -newer package.json
find . -name node_modules -prune -o -name '*.js' -print
find . -name '*.log' -delete
find . -name '*.ts' -exec grep -l TODO {} +
find src -type f -name '*.ts' | xargs wc -l
find . -name '*.tmp' -print0 | xargs -0 rm -f
sed -n '10,20p' src/app.ts
sed -i 's/foo/bar/g' src/app.ts
sed -e 's/a/b/' -e '/^$/d' notes.txt
sed 's|http://|https://|g' README.md > README.new
awk '{print $1}' access.log | sort | uniq -c | sort -rn | head
awk -F, 'NR > 1 { sum += $3 } END { print sum }' data.csv
cut -d: -f1 users.txt
tr -d '\r' < windows.txt > unix.txt
sort -u names.txt -o names.sorted.txt
sort -t, -k2,2n data.csv
diff -u old.txt new.txt
cmp a.bin b.bin
comm -12 a.txt b.txt
paste a.txt b.txt
wc -l src/*.ts
echo "Hello, world"
echo "build done" >> build.log
echo 'node_modules' >> .gitignore
printf '%s\n' one two three
pwd
cd packages/core && npm test
cd src && ls && cd ..
(cd docs && npm run build)
mkdir -p src/{parser,printer}/test
mkdir build
touch src/index.ts
cp src/app.ts src/app.backup.ts
cp -r templates/basic examples/new
cp package.json package.json.bak
mv src/util.ts src/utils.ts
mv *.log logs/
rm -rf dist build
rm -f coverage/lcov.info
rm -rf node_modules && npm ci
ln -s ../shared/config.ts src/config.ts
chmod +x scripts/release.sh
tar -czf site.tgz dist
tar -xzf archive.tar.gz -C vendor
tar -tf archive.tar
gzip -k big.json
unzip -l archive.zip
zip -r site.zip dist
curl -s https://api.example.com/health | jq .status
curl -fsSL https://example.com/data.json -o data.json
curl -X POST -H 'content-type: application/json' -d '{"a":1}' https://api.example.com/items
curl -I https://example.com
jq '.dependencies | keys' package.json
jq -r '.[] | .name' users.json > names.txt
date +%Y-%m-%d
du -sh node_modules
df -h .
ps aux | grep node
which node
file dist/app.wasm
stat -c %s dist/app.js
sha256sum dist/app.js
uname -a
seq 1 5
tree -L 2
docker ps
test -f .env && echo there
[ -d dist ] || mkdir dist
if [ -f package-lock.json ]; then npm ci; else npm install; fi
for f in src/*.ts; do echo "$f"; done
for i in 1 2 3; do npm test || break; done
while read line; do echo "$line"; done < names.txt
until curl -sf http://localhost:3000/health; do sleep 1; done
branch=$(git rev-parse --abbrev-ref HEAD); echo "on $branch"
version=$(node -p 'require("./package.json").version') && git tag "v$version"
echo "on $(git rev-parse --abbrev-ref HEAD)"
echo "$(date): done" >> build.log
git commit -m "Release $(cat VERSION)"
git diff $(git merge-base main HEAD)
wc -l $(git ls-files '*.ts')
kill $(cat server.pid)
git log --oneline $(git describe --tags --abbrev=0)..HEAD
tar -czf "site-$(date +%F).tgz" dist
cat <<'EOF' > notes.md⏎# Notes⏎Run $(npm test) often.⏎EOF
npm test 2>/dev/null
npm run build && npm test && git push
! grep -q FIXME src/app.ts
time npm test
tee build.out < build.log > /dev/null
`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replaceAll('⏎', '\n'))
